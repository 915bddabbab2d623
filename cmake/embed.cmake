# Files as arrays of bytes in a C source:  cmake -DOUT=page.c -DNAMES="a;b" -DFILES="x;y" -P
# embed.cmake.  Each array ends in a zero byte, so that it is a string.
set(text "/* Made by cmake/embed.cmake. */\n")
foreach(name file IN ZIP_LISTS NAMES FILES)
  set(bytes "")
  foreach(part ${file})
    file(READ ${part} hex HEX)
    string(APPEND bytes ${hex})
  endforeach()
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "((0x..,){18})" "\\1\n" bytes "${bytes}")
  string(APPEND text "extern const char ${name}[];\nconst char ${name}[] = {\n${bytes}0};\n")
endforeach()
file(WRITE ${OUT} "${text}")
