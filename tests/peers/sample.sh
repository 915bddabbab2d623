#!/bin/sh
# A few functions of accuracy.py, linalg.py or sugar.py, with few operands; 77 where no Python
# has a peer.
#     sample.sh COT errors|cases JAX_PYTHON TORCH_PYTHON
#     sample.sh LINALG_RUN linalg JAX_PYTHON TORCH_PYTHON
#     sample.sh SUGAR_RUN sugar JAX_PYTHON TORCH_PYTHON
here=$(dirname "$0")
made=$here/../../build/peers/bin/python
python=${3:-$made}
[ -x "$python" ] || python=${4:-$made}
[ -x "$python" ] || {
    echo "no Python with JAX or PyTorch: COT_JAX_PYTHON, COT_TORCH_PYTHON"
    exit 77
}
[ "$2" = linalg ] && exec "$python" "$here/linalg.py" "$1" ${3:+--jax "$3"} ${4:+--torch "$4"} \
    --most 3 \
    --types f64,f32 cholesky qr eigh solve expm draws
[ "$2" = sugar ] && exec "$python" "$here/sugar.py" "$1" ${3:+--jax "$3"} ${4:+--torch "$4"} \
    --types f64,c64,bf16 conv cumsum segment_sum sqrt logsumexp
exec "$python" "$here/accuracy.py" "$1" ${3:+--jax "$3"} ${4:+--torch "$4"} --part "$2" \
    --samples 60 --types f64,f32,i32 \
    exp log1p sin erf lgamma erf_inv bessel_j0 igamma pow max atan2 div reduce_sum gather
