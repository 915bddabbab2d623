#!/bin/sh
# The bundle's workloads, made small, through the whole of the bundle with the driver's double:
# every hash, every comparison of sizes, PyTorch's column; and that a wrong bit, and a wrong
# size, are said.
#
#   workloads.sh SOURCE BUILD [PYTHON]      PYTHON: one with torch, whose part is left out where
#                                           there is none
set -u
source=$1 build=$2 python=${3:-python3}
double=$build/tests/gpu/libcuda_double_program.so
bad=0
place=$(mktemp -d)
trap 'rm -r "$place"' EXIT
cd "$place" || exit 1
failed() { echo "$*"; bad=1; }

# Axes of other lengths, and results that are all compared.  Rows stay long enough for the
# schedules of long ones.
mkdir small bin
list=
for file in "$source"/tests/gpu/bench/*.cot; do
    case $file in
    *softmax* | *layer_norm* | *sum_rows*) sizes='s/\b8192\b/6/g' ;;
    *)
        sizes='s/\b(4096|2048)\b/144/g; s/\b1024\b/136/g; s/\b67108864\b/70000/g'
        sizes="$sizes; s/\\b(520|264)\\b/72/g; s/\\b64,/2,/g"
        ;;
    esac
    sed -E "$sizes; /; no expectation/d" "$file" >small/"${file##*/}"
    list=$list:$place/small/${file##*/}
done
"$source/tests/gpu/bundle.sh" "$source" "$build" bundle.tar.gz 100000 0 small/*.cot \
    >said 2>&1 ||
    failed "$(cat said)"
tar xzf bundle.tar.gz
folder=$place/cotrace-gpu
for text in "$folder"/p*.cot; do list=$list:$text; done
there() { env COT_CUDA_DRIVER="$double" COT_DOUBLE_PROGRAM="${list#:}" "$@"; }

# A python3 that says it has torch and a GPU, and how long everything takes.
names=$(sed 's/ .*//' "$folder/bench.txt")
cat >bin/python3 <<END
#!/bin/sh
[ "\$1" = -c ] && exit 0
for name in $(echo $names); do case \$name in near_*) ;; *) echo "\$name 0.25" ;; esac; done
END
chmod +x bin/python3
there env PATH="$place/bin:$PATH" sh "$folder/run.sh" 1 >said 2>&1 || failed "$(cat said)"
for name in $names; do
    case $name in
    near_*) line="^$name .* TFLOP/s   near\$" ;;
    *fast*) line="^$name .* TFLOP/s   torch   250000.0 us, ratio [0-9.]*   near\$" ;;
    *) line="^$name .* TFLOP/s   torch   250000.0 us, ratio [0-9.]*   same bits\$" ;;
    esac
    grep -q "$line" said || failed "$name: $(cat said)"
done
[ "$(echo "$names" | wc -l)" = "$(ls "$source"/tests/gpu/bench | wc -l)" ] ||
    failed "not every workload is in the bundle"

# What differs is said, by its name and by the exit status.
sed -n 's/^\(softmax\|sum_rows\) .*/\1 123456789abcdef0/p; /^near_bf16 /p' "$folder/bench.txt" \
    >bench.txt
mv bench.txt "$folder/bench.txt"
dd if=/dev/zero of="$folder/near_bf16.near" bs=64 count=1 conv=notrunc 2>/dev/null
there "$folder/runner" "$folder" none.txt 1 >said 2>&1 &&
    failed "wrong results pass: $(cat said)"
for line in 'sum_rows .* BITS DIFFER' 'softmax .* BITS DIFFER' 'near_bf16 .* NOT NEAR'; do
    grep -q "^$line\$" said || failed "wants $line: $(cat said)"
done
grep -q torch said && failed "a column of nothing: $(cat said)"

# PyTorch's side knows the same workloads, but those that are compared alone.
for name in $names; do
    case $name in near_*) ;; *) grep -q "yield \"$name\"" "$source/tests/gpu/bench_torch.py" ||
        failed "torch has no $name" ;; esac
done
if "$python" -c 'import torch' 2>/dev/null; then
    "$python" "$source/tests/gpu/bench_torch.py" small >torch.txt ||
        failed "bench_torch.py fails"
    for name in $(echo "$names" | grep -v ^near_); do
        grep -q "^$name [0-9.e-]*\$" torch.txt ||
            failed "torch does not run $name: $(cat torch.txt)"
    done
else
    echo "workloads: no Python with torch: its part is left out"
fi
[ $bad = 0 ] && echo "workloads: in order"
exit $bad
