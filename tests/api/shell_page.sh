#!/bin/sh
# A page whose blocks are files and commands: what the commands print is what the text blocks
# say.
#   shell_page.sh SOURCE_DIR PAGE COT RT_LIBRARY_FOLDER [SECTION]
#
# A block that begins with a line `FILE:` in backquotes above it is that file; sh blocks are
# run, one after the other; console blocks only show.  Blocks of `sh mpi` are run behind all
# others, where there is an MPI.  SECTION: the title of the one section that is meant.
set -eu
page=$1/$2
section=${5:-}
cot_folder=$(cd "$(dirname "$3")" && pwd)
rt=$4
include=$1/include
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
awk -v tmp="$tmp" -v section="$section" '
    BEGIN { of = "expected"; elsewhere = section != "" }
    /^## / && section != "" && !inside { elsewhere = $0 != "## " section }
    elsewhere { next }
    /^```/ {
        if (inside) { inside = ""; name = ""; next }
        inside = substr($0, 4)
        if (inside == "") inside = "plain"
        next
    }
    !inside && /^`[^ `]*`:$/ { name = substr($0, 2, length($0) - 3); next }
    inside && name != "" { print > (tmp "/" name); next }
    inside == "sh" { print > (tmp "/commands.sh"); of = "expected" }
    inside == "sh mpi" { print > (tmp "/mpi.sh"); of = "expected.mpi" }
    inside == "text" { print > (tmp "/" of) }
' "$page"
cd "$tmp"
mkdir -p include/cotrace
cp "$include"/cotrace/*.h include/cotrace/
cp "$1/runtime/support/pool.h" include/cotrace/
mkdir bin
cat >bin/pkg-config <<EOF
#!/bin/sh
echo "-I$tmp/include -L$rt -lcotrace -Wl,-rpath,$rt"
EOF
chmod +x bin/pkg-config
PATH=$cot_folder:$tmp/bin:$PATH RT=$rt INCLUDE=$tmp/include
export PATH RT INCLUDE
sh -eu commands.sh >printed
diff -u expected printed
[ -e mpi.sh ] || exit 0
if ! echo '#include <mpi.h>' | mpicc -E -x c - >/dev/null 2>&1 || ! command -v mpirun >/dev/null
then
    echo "no MPI: its commands are not run"
    exit 0
fi
# More processes than cores, and a user of any name.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
sh -eu mpi.sh >printed.mpi
diff -u expected.mpi printed.mpi
