#!/bin/sh
# MPI over TCP: two network namespaces stand in for hosts, with a cable between them.  The
# bytes of one process on 2, 3 and 4, which do travel along it.
#   netns.sh SOURCE_DIR LIBRARY_FOLDER
# Ends with 77, skipped, where namespaces are not allowed or OpenMPI is missing.
set -eu
source=$1 folder=$2 a=cot$$a b=cot$$b net=10.213.7
for tool in ip unshare mpicc.openmpi mpirun.openmpi; do
    command -v $tool >/dev/null || { echo "no $tool: skipped"; exit 77; }
done
ip netns add $a 2>/dev/null || { echo "no network namespaces are allowed: skipped"; exit 77; }
tmp=$(mktemp -d)
trap 'ip netns del $a; ip netns del $b 2>/dev/null || :; rm -rf "$tmp"' EXIT
if ! { ip netns add $b && ip link add v$a netns $a type veth peer name v$b netns $b &&
       ip netns exec $a unshare -u true; } 2>"$tmp/why"; then
    echo "no cable between namespaces: $(cat "$tmp/why"): skipped"
    exit 77
fi
ip -n $a addr add $net.1/24 dev v$a
ip -n $b addr add $net.2/24 dev v$b
for host in $a $b; do
    ip -n $host link set v$host up
    ip -n $host link set lo up
done

# Runs a command on a host: agent ADDRESS COMMAND...
cat >"$tmp/agent" <<EOF
#!/bin/sh
host=\$1
shift
[ \$host = $net.1 ] && host=$a || host=$b
exec ip netns exec \$host unshare -u sh -c "hostname \$host; \$*"
EOF
chmod +x "$tmp/agent"
mpicc.openmpi -std=c11 -O1 -I"$source" -I"$source/include" "$source/tests/processes/mpi.c" \
    -o "$tmp/mpi" -L"$folder" -lcotrace -Wl,-rpath,"$folder"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
want=$(mpirun.openmpi -n 1 "$tmp/mpi")
export OMPI_MCA_plm_rsh_agent="$tmp/agent" OMPI_MCA_btl=self,tcp OMPI_MCA_pml=ob1
export OMPI_MCA_btl_tcp_if_include=$net.0/24 OMPI_MCA_oob_tcp_if_include=$net.0/24
export OMPI_MCA_mpi_yield_when_idle=1
on() {
    "$tmp/agent" $net.1 timeout 100 mpirun.openmpi --host $net.1:2,$net.2:2 --map-by node \
        -n "$@"
}
sent() {
    ip netns exec $a cat /sys/class/net/v$a/statistics/tx_bytes
}
for n in 2 3 4; do
    before=$(sent)
    got=$(on $n "$tmp/mpi")
    [ "$got" = "$want" ] || { echo "$n processes: '$got', one: '$want'"; exit 1; }
    # The sum of 50,000 elements alone is 200 KB for each.
    [ $(($(sent) - before)) -gt 200000 ] || { echo "$n processes: nothing travels"; exit 1; }
done
if on 4 "$tmp/mpi" leaves >"$tmp/out" 2>&1; then
    echo "a process that does not answer: ends with 0"
    exit 1
fi
grep -q "process 1 did not answer within 5 s" "$tmp/out" || { cat "$tmp/out"; exit 1; }
echo "1, and 2, 3, 4 between hosts: $want"
