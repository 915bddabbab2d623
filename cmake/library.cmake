# The libraries users link, and what is installed.
#
# libcotrace.so shows the functions marked COT_API and nothing else.  libcotrace.a is one object
# in which all other names were made local, so that neither form can clash with a user's names.
# libcotrace_rt.a is what generated code may call: C, and nothing of the compiler.

add_library(cotrace SHARED ${COT_OBJECTS})
set_target_properties(cotrace PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION
                      ${PROJECT_VERSION_MAJOR})
target_link_libraries(cotrace PRIVATE ${COT_LIBRARIES})
target_link_options(cotrace PRIVATE
                    "LINKER:--version-script=${CMAKE_SOURCE_DIR}/cmake/cotrace.map")
target_include_directories(cotrace INTERFACE ${CMAKE_SOURCE_DIR}/include)

# The processes of runtime/shm.c are in it as in libcotrace, for programs that ship.
add_library(cotrace_rt STATIC $<TARGET_OBJECTS:support> runtime/shm.c
  runtime/shm_ring.c)

set(static_library ${CMAKE_BINARY_DIR}/libcotrace.a)
set(static_object ${CMAKE_BINARY_DIR}/cotrace_static.o)
add_custom_command(
  OUTPUT ${static_library}
  COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${static_object} ${COT_OBJECTS}
  COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${static_object}
  COMMAND ${CMAKE_COMMAND} -E rm -f ${static_library}
  COMMAND ${CMAKE_AR} rcs ${static_library} ${static_object}
  DEPENDS ir passes frontend codegen runtime support ${COT_OBJECTS}
  COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(cotrace_static ALL DEPENDS ${static_library})

install(TARGETS cotrace cotrace_rt)
install(FILES ${static_library} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/cotrace DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN
        "*.h" PATTERN "*.hpp")
install(FILES runtime/support/pool.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cotrace)
install(FILES docs/cot.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.c"
        PATTERN "*.h" PATTERN "*.md"
        PATTERN data EXCLUDE)

# What a static link needs besides: by path here, by name for pkg-config.
set(COT_PC_PRIVATE "-lffi -ldl -lm -pthread")
set(COT_STATIC_NEEDS "${FFI_LIBRARY};${CMAKE_DL_LIBS};m")
foreach(optional ZIP JANSSON)
  foreach(library ${${optional}_LIBRARIES})
    set(COT_PC_PRIVATE "-l${library} ${COT_PC_PRIVATE}")
  endforeach()
  list(APPEND COT_STATIC_NEEDS ${${optional}_LINK_LIBRARIES})
endforeach()
configure_file(cmake/cotrace.pc.in ${CMAKE_BINARY_DIR}/cotrace.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cotrace.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/cotraceConfig.cmake.in
  ${CMAKE_BINARY_DIR}/cotraceConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cotrace PATH_VARS CMAKE_INSTALL_INCLUDEDIR
  CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cotraceConfigVersion.cmake COMPATIBILITY
  SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cotraceConfig.cmake
        ${CMAKE_BINARY_DIR}/cotraceConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cotrace)
