#!/bin/sh
# The program `cot` about the text of functions: lint and fmt.
#
#   cli_text.sh COT
. "$(dirname "$0")/cli_lib.sh"

printf '%s\n' 'fn @bad(%x: f32[2,3], %y: f32[4,5]) -> f32[2,5] {' \
    '  %0 = add %x, %y : f32[2,3]' '  ret %0' '}' >bad.cot

# Comments, dead nodes and single blank lines stay.
printf '%s\n' '; what it is' '' '' 'fn @f( %x:f32[4] )->f32[4]{' '; first' \
    ' %0=sin %x:f32[4] ; of x' ' %dead = neg' '; inside' '%x : f32[4]' '' '' \
    ' ret %0 }' >wide.cot
cp wide.cot copy.cot
printf '%s\n' '; what it is' '' 'fn @f(%x: f32[4]) -> f32[4] {' '  ; first' \
    '  %0 = sin %x    : f32[4]  ; of x' '  ; inside' '  %dead = neg %x : f32[4]' '' '  ret %0' \
    '}' >neat.cot
status 1 "$cot" fmt --check wide.cot neat.cot;               prints "wide.cot"
cmp -s wide.cot copy.cot || { echo "fmt --check writes"; bad=1; }
status 0 "$cot" fmt wide.cot neat.cot
cmp wide.cot neat.cot || bad=1
status 0 "$cot" fmt --check wide.cot
status 2 "$cot" fmt wide.cot bad.cot;                        says "bad.cot:2: add: "
status 2 "$cot" fmt wide.cot --fix;                          says "not one of its options"
printf '%s\n' 'fn @d(%x: f32[3], %y: f32[3]) -> f32[] {' '  %0 = sub %x, %y : f32[3]' \
    '  %1 = mul %0, %0 : f32[3]' '  %2 = reduce_sum %1 {axes=[0]} : f32[]' \
    '  %3 = sqrt %2 : f32[]' '  ret %3' '}' >distance.cot
status 1 "$cot" lint distance.cot -p grad;                   prints \
    "distance.cot:5: sqrt, in grad: div(1, 0) is inf where y equals x; result 0 is nan"
grep -q instead out && { echo "another form is not asked for"; bad=1; }
status 1 "$cot" lint distance.cot -p grad --fix;             prints "instead: s = cot_sum("
status 0 "$cot" lint distance.cot;                           prints "d: 0 found at"
status 0 "$cot" lint distance.cot -p grad --range 'x: [1, 2]' --range ' y : (-2,-1) '
status 0 "$cot" lint distance.cot -p grad --range '1: [-inf, -1000]' --range '0: (0, inf)'
status 2 "$cot" lint distance.cot --range 'z: [1, 2]';       says "no argument 'z'; it has x, y"
status 2 "$cot" lint distance.cot --range 'x: [1, 2';        says "wants NAME: [LEAST, MOST]"
status 2 "$cot" lint distance.cot --range 'x: [2, 1]';       says "is empty"
status 2 "$cot" lint distance.cot --range;                   says "--range wants a value"
status 2 "$cot" run distance.cot --fix;                      says "not one of its options"
status 2 "$cot" lint bad.cot;                                says "bad.cot:2: add: "

echo "$count commands"
exit $bad
