/* Graphs for check_lower.c: each exercises one way of lowering. */
typedef struct lower_graph {
    const char *name;
    bool special;               /* inputs with zeros, infinities and NaN among them */
    const char *text;
} lower_graph;

static const lower_graph lower_graphs[] = {
    { "pointwise", true,
      "fn @f(%x: f32[37], %y: f32[37]) -> (f32[37], f32[37]) {\n"
      "  %0 = mul %x, %y : f32[37]\n"
      "  %1 = add %0, %x : f32[37]\n"
      "  %2 = max %1, %y : f32[37]\n"
      "  %3 = div %2, %x : f32[37]\n"
      "  ret %3, %1\n}\n" },
    { "half", true,
      "fn @f(%x: f16[33], %y: bf16[33]) -> (f16[33], bf16[33]) {\n"
      "  %0 = mul %x, %x : f16[33]\n"
      "  %1 = add %y, %y : bf16[33]\n"
      "  %2 = sub %0, %x : f16[33]\n"
      "  ret %2, %1\n}\n" },
    { "integers", false,
      "fn @f(%x: i32[19], %y: i8[19]) -> (i32[19], i8[19], bool[19]) {\n"
      "  %0 = div %x, %x : i32[19]\n"
      "  %1 = mul %y, %y : i8[19]\n"
      "  %2 = lt %0, %x : bool[19]\n"
      "  ret %0, %1, %2\n}\n" },
    { "scalar", false,
      "fn @f(%x: f64[]) -> f64[] {\n"
      "  %0 = mul %x, %x : f64[]\n"
      "  ret %0\n}\n" },
    { "bias", true,
      "fn @f(%x: f32[5,7], %b: f32[7]) -> f32[5,7] {\n"
      "  %0 = broadcast_in_dim %b {shape=[5,7], dims=[1]} : f32[5,7]\n"
      "  %1 = add %x, %0 : f32[5,7]\n"
      "  ret %1\n}\n" },
    { "transpose", false,
      "fn @f(%x: f32[9,21]) -> f32[21,9] {\n"
      "  %0 = transpose %x {perm=[1,0]} : f32[21,9]\n"
      "  %1 = add %0, %0 : f32[21,9]\n"
      "  ret %1\n}\n" },
    { "reshape", false,
      "fn @f(%x: f32[4,6,5]) -> f32[12,10] {\n"
      "  %0 = reshape %x {shape=[12,10]} : f32[12,10]\n"
      "  %1 = neg %0 : f32[12,10]\n"
      "  ret %1\n}\n" },
    { "reshape of transpose", false,
      "fn @f(%x: f32[4,6]) -> f32[3,8] {\n"
      "  %0 = transpose %x {perm=[1,0]} : f32[6,4]\n"
      "  %1 = reshape %0 {shape=[3,8]} : f32[3,8]\n"
      "  ret %1\n}\n" },
    { "slice and reverse", false,
      "fn @f(%x: f32[17,11]) -> f32[5,4] {\n"
      "  %0 = slice %x {start=[2,1], limit=[15,9], stride=[3,2]} : f32[5,4]\n"
      "  %1 = reverse %0 {axes=[0,1]} : f32[5,4]\n"
      "  ret %1\n}\n" },
    { "margins of products", false,
      "fn @f(%x: f32[6,6], %p: f32[]) -> (f32[6,9], f32[8,6]) {\n"
      "  %0 = dot_general %x, %x {lhs=[0], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[6,6]\n"
      "  %1 = slice %x {start=[0,0], limit=[6,3], stride=[1,1]} : f32[6,3]\n"
      "  %2 = concatenate %0, %1 {axis=1} : f32[6,9]\n"
      "  %3 = dot_general %x, %x {lhs=[1], rhs=[1], lhs_batch=[], rhs_batch=[]} : f32[6,6]\n"
      "  %4 = pad %3, %p {low=[0,0], high=[2,0], interior=[0,0]} : f32[8,6]\n"
      "  ret %2, %4\n}\n" },
    { "pad", false,
      "fn @f(%x: f32[5,4], %p: f32[]) -> f32[9,9] {\n"
      "  %0 = pad %x, %p {low=[2,1], high=[-2,1], interior=[1,1]} : f32[9,9]\n"
      "  ret %0\n}\n" },
    { "concatenate", false,
      "fn @f(%x: f32[5,4], %y: f32[5,13], %z: f32[5,0]) -> f32[5,17] {\n"
      "  %0 = concatenate %x, %z, %y {axis=1} : f32[5,17]\n"
      "  ret %0\n}\n" },
    { "iota and constant", false,
      "fn @f(%x: f32[3,4]) -> (f32[3,4], i32[3,4]) {\n"
      "  %0 = iota {dtype=f32, shape=[3,4], axis=1} : f32[3,4]\n"
      "  %1 = add %0, %x : f32[3,4]\n"
      "  %2 = iota {dtype=i32, shape=[3,4], axis=0} : i32[3,4]\n"
      "  ret %1, %2\n}\n" },
    { "sum of all", false,
      "fn @f(%x: f32[1700]) -> f32[] {\n"
      "  %0 = reduce_sum %x {axes=[0]} : f32[]\n"
      "  ret %0\n}\n" },
    { "sum of many", false,
      "fn @f(%x: f32[70001]) -> f32[] {\n"
      "  %0 = mul %x, %x : f32[70001]\n"
      "  %1 = reduce_sum %0 {axes=[0]} : f32[]\n"
      "  ret %1\n}\n" },
    { "runs side by side", false,
      "fn @f(%x: f32[262144], %y: f32[400001]) -> (f32[], f32[], f32[], f32[]) {\n"
      "  %0 = reduce_sum %x {axes=[0]} : f32[]\n"
      "  %1 = reduce_sum %y {axes=[0]} : f32[]\n"
      "  %2 = reduce_max %y {axes=[0]} : f32[]\n"
      "  %3 = mul %y, %y : f32[400001]\n"
      "  %4 = reduce_sum %3 {axes=[0]} : f32[]\n"
      "  ret %0, %1, %2, %4\n}\n" },
    { "sums of rows", true,
      "fn @f(%a: f32[6,40], %b: f32[6,512], %c: f32[3,1030], %d: f32[5,20], %e: f64[4,100], "
      "%h: f16[3,77])"
      " -> (f32[6], f32[6], f32[3], f32[5], f64[4], f16[3]) {\n"
      "  %0 = reduce_sum %a {axes=[1]} : f32[6]\n"
      "  %1 = reduce_sum %b {axes=[1]} : f32[6]\n"
      "  %2 = reduce_prod %c {axes=[1]} : f32[3]\n"
      "  %3 = reduce_sum %d {axes=[1]} : f32[5]\n"
      "  %4 = reduce_max %e {axes=[1]} : f64[4]\n"
      "  %5 = reduce_sum %h {axes=[1]} : f16[3]\n"
      "  ret %0, %1, %2, %3, %4, %5\n}\n" },
    { "short rows", false,
      "fn @f(%a: f32[100,3], %b: f32[9,8], %c: f32[4,2,3,5]) -> (f32[100], f32[9], f32[4,2]) "
      "{\n"
      "  %0 = reduce_sum %a {axes=[1]} : f32[100]\n"
      "  %1 = reduce_sum %b {axes=[1]} : f32[9]\n"
      "  %2 = reduce_sum %c {axes=[2,3]} : f32[4,2]\n"
      "  ret %0, %1, %2\n}\n" },
    { "sums of columns", false,
      "fn @f(%a: f32[40,37], %b: f32[1100,9], %c: f32[3,70,5]) -> (f32[37], f32[9], f32[3,5]) "
      "{\n"
      "  %0 = reduce_sum %a {axes=[0]} : f32[37]\n"
      "  %1 = reduce_sum %b {axes=[0]} : f32[9]\n"
      "  %2 = reduce_min %c {axes=[1]} : f32[3,5]\n"
      "  ret %0, %1, %2\n}\n" },
    { "empty", false,
      "fn @f(%a: f32[0,3], %b: f32[4,0]) -> (f32[3], f32[4], f32[0,3]) {\n"
      "  %0 = reduce_sum %a {axes=[0]} : f32[3]\n"
      "  %1 = reduce_max %b {axes=[1]} : f32[4]\n"
      "  %2 = neg %a : f32[0,3]\n"
      "  ret %0, %1, %2\n}\n" },
    { "integer reductions", false,
      "fn @f(%a: i32[5,100], %b: bool[5,100], %c: u8[70]) -> (i32[5], bool[5], bool[5], u8[]) "
      "{\n"
      "  %0 = reduce_sum %a {axes=[1]} : i32[5]\n"
      "  %1 = reduce_and %b {axes=[1]} : bool[5]\n"
      "  %2 = reduce_or %b {axes=[1]} : bool[5]\n"
      "  %3 = reduce_max %c {axes=[0]} : u8[]\n"
      "  ret %0, %1, %2, %3\n}\n" },
    { "arg", true,
      "fn @f(%a: f32[5,100], %b: i32[70,5], %c: f32[9,4]) -> (i32[5], i32[5], i64[9]) {\n"
      "  %0 = argmax %a {axis=1} : i32[5]\n"
      "  %1 = argmin %b {axis=0} : i32[5]\n"
      "  %2 = argmax %c {axis=1, dtype=i64} : i64[9]\n"
      "  ret %0, %1, %2\n}\n" },
    { "centred", false,
      "fn @f(%x: f32[6,100]) -> (f32[6,100], f32[6]) {\n"
      "  %0 = reduce_sum %x {axes=[1]} : f32[6]\n"
      "  %1 = broadcast_in_dim %0 {shape=[6,100], dims=[0]} : f32[6,100]\n"
      "  %2 = sub %x, %1 : f32[6,100]\n"
      "  %3 = mul %2, %2 : f32[6,100]\n"
      "  %4 = reduce_sum %3 {axes=[1]} : f32[6]\n"
      "  %5 = sqrt %4 : f32[6]\n"
      "  %6 = broadcast_in_dim %5 {shape=[6,100], dims=[0]} : f32[6,100]\n"
      "  %7 = div %2, %6 : f32[6,100]\n"
      "  ret %7, %5\n}\n" },
    { "softmax", false,
      "fn @f(%x: f32[6,700]) -> f32[6,700] {\n"
      "  %0 = reduce_max %x {axes=[1]} : f32[6]\n"
      "  %1 = broadcast_in_dim %0 {shape=[6,700], dims=[0]} : f32[6,700]\n"
      "  %2 = sub %x, %1 : f32[6,700]\n"
      "  %3 = exp %2 : f32[6,700]\n"
      "  %4 = reduce_sum %3 {axes=[1]} : f32[6]\n"
      "  %5 = broadcast_in_dim %4 {shape=[6,700], dims=[0]} : f32[6,700]\n"
      "  %6 = div %3, %5 : f32[6,700]\n"
      "  ret %6\n}\n" },
    { "product", false,
      "fn @f(%x: f32[7,33], %y: f32[33,20], %z: f32[33]) -> (f32[7,20], f32[7], f32[20,7]) {\n"
      "  %0 = dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[7,20]\n"
      "  %1 = dot_general %x, %z {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[7]\n"
      "  %2 = transpose %y {perm=[1,0]} : f32[20,33]\n"
      "  %3 = dot_general %2, %x {lhs=[1], rhs=[1], lhs_batch=[], rhs_batch=[]} : f32[20,7]\n"
      "  ret %0, %1, %3\n}\n" },
    { "dynamic slices", false,
      "fn @f(%x: f32[9,8], %i: i32[], %u: f32[2,3]) -> (f32[4,3], f32[9,8]) {\n"
      "  %0 = dynamic_slice %x, %i, %i {sizes=[4,3]} : f32[4,3]\n"
      "  %1 = dynamic_update_slice %x, %u, %i, %i : f32[9,8]\n"
      "  ret %0, %1\n}\n" },
    { "gather", false,
      "fn @f(%x: f32[6,5], %i: i32[7,1]) -> (f32[7,5], f32[7,5]) {\n"
      "  %0 = gather %x, %i {offset_dims=[1], collapsed=[0], operand_batch=[], "
      "indices_batch=[], index_map=[0],"
      " sizes=[1,5]} : f32[7,5]\n"
      "  %1 = gather %x, %i {offset_dims=[1], collapsed=[0], operand_batch=[], "
      "indices_batch=[], index_map=[0],"
      " sizes=[1,5], mode=fill} : f32[7,5]\n"
      "  ret %0, %1\n}\n" },
    { "scatter", false,
      "fn @f(%x: f32[6,5], %i: i32[7,1], %u: f32[7,5], %h: f16[6,5], %v: f16[7,5])"
      " -> (f32[6,5], f32[6,5], f16[6,5]) {\n"
      "  %0 = scatter_add %x, %i, %u {window_dims=[1], inserted=[0], operand_batch=[], "
      "indices_batch=[],"
      " index_map=[0]} : f32[6,5]\n"
      "  %1 = scatter %x, %i, %u {window_dims=[1], inserted=[0], operand_batch=[], "
      "indices_batch=[],"
      " index_map=[0], mode=fill} : f32[6,5]\n"
      "  %2 = scatter_mul %h, %i, %v {window_dims=[1], inserted=[0], operand_batch=[], "
      "indices_batch=[],"
      " index_map=[0]} : f16[6,5]\n"
      "  ret %0, %1, %2\n}\n" },
    { "cond", false,
      "fn @a(%x: f32[5]) -> f32[5] {\n  %0 = neg %x : f32[5]\n  ret %0\n}\n"
      "fn @b(%x: f32[5]) -> f32[5] {\n  %0 = add %x, %x : f32[5]\n  ret %0\n}\n"
      "fn @c(%x: f32[5]) -> f32[5] {\n  ret %x\n}\n"
      "fn @f(%i: i32[], %p: bool[5], %x: f32[5]) -> (f32[5], f32[5]) {\n"
      "  %0 = cond %i, %x {branches=[@a, @b, @c]} : f32[5]\n"
      "  %1 = cond %p, %x {branches=[@a, @b]} : f32[5]\n"
      "  ret %0, %1\n}\n" },
    { "while", false,
      "fn @test(%l: f32[], %x: f32[4], %i: i32[]) -> bool[] {\n"
      "  %0 = reduce_sum %x {axes=[0]} : f32[]\n  %1 = lt %0, %l : bool[]\n  ret %1\n}\n"
      "fn @step(%l: f32[], %x: f32[4], %i: i32[]) -> (f32[4], i32[]) {\n"
      "  %0 = mul %x, %x : f32[4]\n  %1 = broadcast_in_dim %l {shape=[4], dims=[]} : f32[4]\n"
      "  %2 = add %0, %1 : f32[4]\n  %3 = add %i, %i : i32[]\n  ret %2, %3\n}\n"
      "fn @f(%l: f32[], %x: f32[4], %i: i32[]) -> (f32[4], i32[]) {\n"
      "  %m = mul %l, %l : f32[]\n"
      "  %n = add %m, %m : f32[]\n"
      "  %0, %1 = while %n, %x, %i {consts=1, cond=@test, body=@step} : f32[4], i32[]\n"
      "  ret %0, %1\n}\n" },
    { "mapped while", false,
      "fn @test(%x: f32[9], %y: f32[9,3]) -> bool[9] {\n"
      "  %0 = mul %x, %x : f32[9]\n  %1 = mul %0, %0 : f32[9]\n  %2 = add %1, %1 : f32[9]\n"
      "  %3 = lt %2, %x : bool[9]\n  ret %3\n}\n"
      "fn @step(%x: f32[9], %y: f32[9,3]) -> (f32[9], f32[9,3]) {\n"
      "  %0 = add %x, %x : f32[9]\n  %1 = mul %y, %y : f32[9,3]\n  ret %0, %1\n}\n"
      "fn @f(%x: f32[9], %y: f32[9,3]) -> (f32[9], f32[9,3]) {\n"
      "  %0, %1 = while %x, %y {cond=@test, body=@step} : f32[9], f32[9,3]\n"
      "  ret %0, %1\n}\n" },
    { "scan", false,
      "fn @step(%c: f32[3], %a: f32[3], %b: f32[3], %x: f32[3]) -> (f32[3], f32[3], f32[3]) {\n"
      "  %0 = mul %a, %c : f32[3]\n  %1 = add %0, %x : f32[3]\n  %2 = sub %b, %x : f32[3]\n"
      "  ret %b, %1, %2\n}\n"
      "fn @f(%c: f32[3], %a: f32[3], %b: f32[3], %x: f32[10,3]) -> (f32[3], f32[3], f32[10,3]) "
      "{\n"
      "  %0, %1, %2 = scan %c, %a, %b, %x {consts=1, carries=2, length=10, reverse=true, "
      "body=@step}"
      " : f32[3], f32[3], f32[10,3]\n"
      "  ret %0, %1, %2\n}\n" },
    { "running sums of many blocks", false,
      "fn @f(%x: f32[5000], %y: i32[3,2500]) -> (f32[5000], i32[3,2500]) {\n"
      "  %0 = cumsum %x {axis=0} : f32[5000]\n"
      "  %1 = cummax %y {axis=1} : i32[3,2500]\n"
      "  ret %0, %1\n}\n" },
    { "scan of many", false,
      "fn @step(%a: f32[11,3], %x: f32[11]) -> (f32[11,3], f32[11]) {\n"
      "  %0 = mul %a, %a : f32[11,3]\n  %1 = reduce_sum %0 {axes=[1]} : f32[11]\n"
      "  %2 = add %1, %x : f32[11]\n  %3 = broadcast_in_dim %2 {shape=[11,3], dims=[0]} : "
      "f32[11,3]\n"
      "  %4 = max %a, %3 : f32[11,3]\n  ret %4, %1\n}\n"
      "fn @f(%a: f32[11,3], %x: f32[6,11]) -> (f32[11,3], f32[6,11]) {\n"
      "  %0, %1 = scan %a, %x {carries=1, length=6, body=@step} : f32[11,3], f32[6,11]\n"
      "  ret %0, %1\n}\n" },
    { "scan of very many", false,
      "fn @step(%w: f32[], %a: f32[291,2], %n: i64[291], %x: f32[291]) -> (f32[291,2], "
      "i64[291], f32[291]) {\n"
      "  %0 = mul %a, %a : f32[291,2]\n  %1 = reduce_sum %0 {axes=[1]} : f32[291]\n"
      "  %2 = add %1, %x : f32[291]\n  %3 = broadcast_in_dim %2 {shape=[291,2], dims=[0]} : "
      "f32[291,2]\n"
      "  %b = broadcast_in_dim %w {shape=[291,2], dims=[]} : f32[291,2]\n"
      "  %4 = min %b, %3 : f32[291,2]\n  %5 = add %n, %n : i64[291]\n  ret %4, %5, %1\n}\n"
      "fn @f(%w: f32[], %a: f32[291,2], %n: i64[291], %x: f32[6,291]) -> (f32[291,2], "
      "i64[291], f32[6,291]) {\n"
      "  %0, %1, %2 = scan %w, %a, %n, %x {consts=1, carries=2, length=6, body=@step}"
      " : f32[291,2], i64[291], f32[6,291]\n"
      "  ret %0, %1, %2\n}\n" },
    { "scan over a large state", false,
      "fn @step(%a: f32[200], %i: i32[], %x: f32[1]) -> (f32[200], i32[]) {\n"
      "  %0 = dynamic_update_slice %a, %x, %i : f32[200]\n"
      "  %1 = add %i, %i : i32[]\n  ret %0, %1\n}\n"
      "fn @f(%a: f32[200], %i: i32[], %x: f32[10,1]) -> (f32[200], i32[]) {\n"
      "  %0, %1 = scan %a, %i, %x {carries=2, length=10, body=@step} : f32[200], i32[]\n"
      "  ret %0, %1\n}\n" },
    { "lorenz", false,
      "fn @step(%r: f32[1], %s: f32[3]) -> (f32[3], f32[2]) {\n"
      "  %x = slice %s {start=[0], limit=[1], stride=[1]} : f32[1]\n"
      "  %y = slice %s {start=[1], limit=[2], stride=[1]} : f32[1]\n"
      "  %z = slice %s {start=[2], limit=[3], stride=[1]} : f32[1]\n"
      "  %0 = sub %y, %x : f32[1]\n  %1 = mul %0, %r : f32[1]\n"
      "  %2 = mul %x, %z : f32[1]\n  %3 = fma %2, %r, %y : f32[1]\n"
      "  %4 = mul %x, %y : f32[1]\n  %5 = sub %4, %z : f32[1]\n  %6 = mul %5, %r : f32[1]\n"
      "  %7 = concatenate %1, %3, %6 {axis=0} : f32[3]\n"
      "  %8 = add %7, %s : f32[3]\n  %9 = slice %8 {start=[1], limit=[3], stride=[1]} : "
      "f32[2]\n"
      "  ret %8, %9\n}\n"
      "fn @f(%r: f32[1], %s: f32[3]) -> (f32[3], f32[7,2]) {\n"
      "  %0, %1 = scan %r, %s {consts=1, carries=1, length=7, body=@step} : f32[3], f32[7,2]\n"
      "  ret %0, %1\n}\n" },
    { "many small systems", false,
      "fn @step(%m: f32[2,2], %s: f32[70,2], %i: i32[], %x: f32[2]) -> (f32[70,2], i32[], "
      "f32[70], i32[]) {\n"
      "  %0 = dot_general %s, %m {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[70,2]\n"
      "  %1 = broadcast_in_dim %x {shape=[70,2], dims=[1]} : f32[70,2]\n"
      "  %2 = add %0, %1 : f32[70,2]\n  %3 = exp %2 : f32[70,2]\n"
      "  %4 = reduce_sum %3 {axes=[1]} : f32[70]\n  %5 = broadcast_in_dim %4 {shape=[70,2], "
      "dims=[0]} : f32[70,2]\n"
      "  %6 = div %3, %5 : f32[70,2]\n  %7 = add %i, %i : i32[]\n"
      "  ret %6, %7, %4, %i\n}\n"
      "fn @f(%m: f32[2,2], %s: f32[70,2], %i: i32[], %x: f32[5,2]) -> (f32[70,2], i32[], "
      "f32[5,70], i32[5]) {\n"
      "  %0, %1, %2, %3 = scan %m, %s, %i, %x {consts=1, carries=2, length=5, body=@step}"
      " : f32[70,2], i32[], f32[5,70], i32[5]\n"
      "  ret %0, %1, %2, %3\n}\n" },
    { "mixed examples", false,
      "fn @step(%s: f32[6,2]) -> f32[6,2] {\n"
      "  %0 = reverse %s {axes=[0]} : f32[6,2]\n  %1 = add %0, %s : f32[6,2]\n  ret %1\n}\n"
      "fn @f(%s: f32[6,2]) -> f32[6,2] {\n"
      "  %0 = scan %s {carries=1, length=3, body=@step} : f32[6,2]\n  ret %0\n}\n" },
    { "nested loops", false,
      "fn @inner(%a: f32[4], %x: f32[]) -> (f32[4], f32[4]) {\n"
      "  %0 = broadcast_in_dim %x {shape=[4], dims=[]} : f32[4]\n  %1 = fma %a, %0, %a : "
      "f32[4]\n  ret %1, %a\n}\n"
      "fn @outer(%w: f32[3], %a: f32[4], %y: f32[4]) -> (f32[4], f32[3,4]) {\n"
      "  %0 = add %a, %y : f32[4]\n"
      "  %1, %2 = scan %0, %w {carries=1, length=3, body=@inner} : f32[4], f32[3,4]\n  ret %1, "
      "%2\n}\n"
      "fn @f(%w: f32[3], %a: f32[4], %y: f32[5,4]) -> (f32[4], f32[5,3,4]) {\n"
      "  %0, %1 = scan %w, %a, %y {consts=1, carries=1, length=5, body=@outer} : f32[4], "
      "f32[5,3,4]\n"
      "  ret %0, %1\n}\n" },
    { "swapped carries of size", false,
      "fn @step(%a: f32[100], %b: f32[100]) -> (f32[100], f32[100]) {\n"
      "  %0 = sub %a, %b : f32[100]\n  ret %b, %0\n}\n"
      "fn @f(%a: f32[100], %b: f32[100]) -> (f32[100], f32[100]) {\n"
      "  %0, %1 = scan %a, %b {carries=2, length=5, body=@step} : f32[100], f32[100]\n  ret "
      "%0, %1\n}\n" },
    { "a table written while read", false,
      "fn @step(%a: f32[100,2], %i: i32[], %z: i32[]) -> (f32[100,2], i32[], i32[], f32[1,2]) "
      "{\n"
      "  %0 = dynamic_slice %a, %i, %z {sizes=[2,2]} : f32[2,2]\n"
      "  %1 = reduce_sum %0 {axes=[0]} : f32[2]\n  %2 = reshape %1 {shape=[1,2]} : f32[1,2]\n"
      "  %3 = iota {dtype=i32, shape=[1], axis=0} : i32[1]\n  %4 = reshape %3 {shape=[]} : "
      "i32[]\n"
      "  %5 = eq %4, %4 : bool[]\n  %6 = convert %5 {dtype=i32} : i32[]\n  %7 = add %i, %6 : "
      "i32[]\n"
      "  %8 = add %7, %6 : i32[]\n"
      "  %9 = dynamic_update_slice %a, %2, %8, %z : f32[100,2]\n  ret %9, %7, %z, %2\n}\n"
      "fn @f(%a: f32[100,2], %i: i32[], %z: i32[]) -> (f32[100,2], i32[], f32[30,1,2]) {\n"
      "  %0, %1, %2, %3 = scan %a, %i, %z {carries=3, length=30, body=@step}"
      " : f32[100,2], i32[], i32[], f32[30,1,2]\n  ret %0, %1, %3\n}\n" },
    { "packed products", false,
      "fn @f(%x: f32[37,300], %y: f32[300,45], %b: f32[45], %i: i32[19,40], %j: i32[200,40], "
      "%h: f16[2,13,530],"
      " %g: f16[2,530,24]) -> (f32[37,45], f32[37,45], i32[19,200], f16[2,13,24]) {\n"
      "  %0 = dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[37,45]\n"
      "  %1 = broadcast_in_dim %b {shape=[37,45], dims=[1]} : f32[37,45]\n"
      "  %2 = add %0, %1 : f32[37,45]\n"
      "  %3 = max %2, %1 : f32[37,45]\n"
      "  %4 = dot_general %i, %j {lhs=[1], rhs=[1], lhs_batch=[], rhs_batch=[]} : i32[19,200]\n"
      "  %5 = add %4, %4 : i32[19,200]\n"
      "  %6 = dot_general %h, %g {lhs=[2], rhs=[1], lhs_batch=[0], rhs_batch=[0]} : "
      "f16[2,13,24]\n"
      "  ret %0, %3, %5, %6\n}\n" },
    { "many small products, the batch in lanes", false,
      "fn @f(%x: f32[45,40,70], %y: f32[40,3,70], %z: f32[13,9,37], %w: f32[9,3,37])"
      " -> (f32[70,45,3], f32[37,13,3]) {\n"
      "  %0 = dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[2], rhs_batch=[2]} : "
      "f32[70,45,3]\n"
      "  %1 = dot_general %z, %w {lhs=[1], rhs=[0], lhs_batch=[2], rhs_batch=[2]} : "
      "f32[37,13,3]\n"
      "  %2 = tanh %1 : f32[37,13,3]\n"
      "  %3 = exp %2 : f32[37,13,3]\n"
      "  ret %0, %3\n"
      "}\n" },
    { "bias and activation", false,
      "fn @f(%x: f32[13,21], %w: f32[21,40], %b: f32[40]) -> (f32[13,40], f32[13,40]) {\n"
      "  %0 = dot_general %x, %w {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[13,40]\n"
      "  %1 = broadcast_in_dim %b {shape=[13,40], dims=[1]} : f32[13,40]\n"
      "  %2 = add %0, %1 : f32[13,40]\n  %3 = tanh %2 : f32[13,40]\n  ret %3, %2\n}\n" },
    { "a shared product", false,
      "fn @f(%x: f32[13,21], %w: f32[21,40], %g: f32[13,40]) -> (f32[13,40], f32[21,40], "
      "f32[40]) {\n"
      "  %0 = dot_general %x, %w {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[13,40]\n"
      "  %1 = tanh %0 : f32[13,40]\n  %2 = mul %0, %g : f32[13,40]\n"
      "  %3 = dot_general %x, %2 {lhs=[0], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[21,40]\n"
      "  %4 = sub %w, %3 : f32[21,40]\n  %5 = reduce_sum %0 {axes=[0]} : f32[40]\n  ret %1, "
      "%4, %5\n}\n" },
    { "columns together", false,
      "fn @f(%x: f32[700,37], %y: f32[700,37], %r: f32[700]) -> (f32[37], f32[37]) {\n"
      "  %0 = broadcast_in_dim %r {shape=[700,37], dims=[0]} : f32[700,37]\n"
      "  %1 = mul %x, %0 : f32[700,37]\n  %2 = reduce_sum %1 {axes=[0]} : f32[37]\n"
      "  %3 = mul %x, %y : f32[700,37]\n  %4 = reduce_max %3 {axes=[0]} : f32[37]\n  ret %2, "
      "%4\n}\n" },
    { "rows and columns", false,
      "fn @f(%x: f32[1100,300], %y: f32[1100,300], %g: f32[300]) -> (f32[1100,300], f32[300], "
      "f32[300], f32[300]) {\n"
      "  %0 = reduce_max %x {axes=[1]} : f32[1100]\n"
      "  %1 = broadcast_in_dim %0 {shape=[1100,300], dims=[0]} : f32[1100,300]\n"
      "  %2 = sub %x, %1 : f32[1100,300]\n  %3 = mul %2, %y : f32[1100,300]\n"
      "  %4 = reduce_sum %3 {axes=[1]} : f32[1100]\n"
      "  %5 = broadcast_in_dim %4 {shape=[1100,300], dims=[0]} : f32[1100,300]\n"
      "  %6 = broadcast_in_dim %g {shape=[1100,300], dims=[1]} : f32[1100,300]\n"
      "  %7 = mul %3, %6 : f32[1100,300]\n  %8 = add %7, %5 : f32[1100,300]\n"
      "  %9 = reduce_sum %y {axes=[0]} : f32[300]\n  %10 = reduce_sum %3 {axes=[0]} : "
      "f32[300]\n"
      "  %11 = reduce_sum %8 {axes=[0]} : f32[300]\n  %12 = add %9, %10 : f32[300]\n  ret %8, "
      "%12, %11, %9\n}\n" },
    { "columns of many axes and types", false,
      "fn @f(%x: f64[5,30,2,130], %h: f16[90,270]) -> (f64[5,30], f64[2,130], f64[2,130], "
      "f16[90], f16[270]) {\n"
      "  %0 = reduce_sum %x {axes=[2,3]} : f64[5,30]\n"
      "  %1 = broadcast_in_dim %0 {shape=[5,30,2,130], dims=[0,1]} : f64[5,30,2,130]\n"
      "  %2 = mul %x, %1 : f64[5,30,2,130]\n  %3 = reduce_prod %2 {axes=[0,1]} : f64[2,130]\n"
      "  %4 = reduce_sum %x {axes=[0,1]} : f64[2,130]\n  %5 = reduce_sum %h {axes=[1]} : "
      "f16[90]\n"
      "  %6 = reduce_sum %h {axes=[0]} : f16[270]\n  ret %0, %3, %4, %5, %6\n}\n" },
    { "variance of columns", false,
      "fn @f(%x: f32[200,260]) -> (f32[260], f32[200,260]) {\n"
      "  %0 = reduce_sum %x {axes=[0]} : f32[260]\n  %1 = constant {data=200} : f32[260]\n"
      "  %2 = div %0, %1 : f32[260]\n  %3 = broadcast_in_dim %2 {shape=[200,260], dims=[1]} : "
      "f32[200,260]\n"
      "  %4 = sub %x, %3 : f32[200,260]\n  %5 = mul %4, %4 : f32[200,260]\n"
      "  %6 = reduce_sum %5 {axes=[0]} : f32[260]\n"
      "  %7 = broadcast_in_dim %6 {shape=[200,260], dims=[1]} : f32[200,260]\n  %8 = add %4, "
      "%7 : f32[200,260]\n"
      "  %9 = reduce_max %8 {axes=[1]} : f32[200]\n"
      "  %10 = broadcast_in_dim %9 {shape=[200,260], dims=[0]} : f32[200,260]\n"
      "  %11 = sub %8, %10 : f32[200,260]\n  ret %6, %11\n}\n" },
    { "eleven sums of rows", false,
      "fn @f(%x: f32[6,90]) -> (f32[6], f32[6], f32[6], f32[6], f32[6], f32[6], f32[6], "
      "f32[6], f32[6], f32[6], f32[6]) {\n"
      "  %0 = add %x, %x : f32[6,90]\n  %1 = reduce_sum %0 {axes=[1]} : f32[6]\n"
      "  %2 = add %x, %0 : f32[6,90]\n  %3 = reduce_sum %2 {axes=[1]} : f32[6]\n"
      "  %4 = add %x, %2 : f32[6,90]\n  %5 = reduce_sum %4 {axes=[1]} : f32[6]\n"
      "  %6 = add %x, %4 : f32[6,90]\n  %7 = reduce_sum %6 {axes=[1]} : f32[6]\n"
      "  %8 = add %x, %6 : f32[6,90]\n  %9 = reduce_sum %8 {axes=[1]} : f32[6]\n"
      "  %10 = add %x, %8 : f32[6,90]\n  %11 = reduce_sum %10 {axes=[1]} : f32[6]\n"
      "  %12 = add %x, %10 : f32[6,90]\n  %13 = reduce_sum %12 {axes=[1]} : f32[6]\n"
      "  %14 = add %x, %12 : f32[6,90]\n  %15 = reduce_sum %14 {axes=[1]} : f32[6]\n"
      "  %16 = add %x, %14 : f32[6,90]\n  %17 = reduce_sum %16 {axes=[1]} : f32[6]\n"
      "  %18 = add %x, %16 : f32[6,90]\n  %19 = reduce_sum %18 {axes=[1]} : f32[6]\n"
      "  %20 = add %x, %18 : f32[6,90]\n  %21 = reduce_sum %20 {axes=[1]} : f32[6]\n"
      "  ret %1, %3, %5, %7, %9, %11, %13, %15, %17, %19, %21\n}\n" },
    { "rows and what is made of their sums", false,
      "fn @f(%x: f32[5,3,70]) -> (f32[5,3,70], f32[5,3], f32[5,3,70]) {\n"
      "  %0 = reduce_sum %x {axes=[2]} : f32[5,3]\n  %1 = exp %0 : f32[5,3]\n  %2 = tanh %1 : "
      "f32[5,3]\n"
      "  %3 = broadcast_in_dim %2 {shape=[5,3,70], dims=[0,1]} : f32[5,3,70]\n  %4 = mul %3, "
      "%x : f32[5,3,70]\n"
      "  %5 = exp %4 : f32[5,3,70]\n  %6 = reduce_max %5 {axes=[2]} : f32[5,3]\n  %7 = add %6, "
      "%2 : f32[5,3]\n"
      "  %8 = log %7 : f32[5,3]\n  %9 = broadcast_in_dim %8 {shape=[5,3,70], dims=[0,1]} : "
      "f32[5,3,70]\n"
      "  %10 = sub %5, %9 : f32[5,3,70]\n  ret %10, %8, %4\n}\n" },
    { "outer product", false,
      "fn @f(%x: f32[4,9], %y: f32[4,7], %i: i32[3,1], %j: i32[1,20]) -> (f32[4,9,7], "
      "i32[3,20]) {\n"
      "  %0 = reshape %x {shape=[4,9,1]} : f32[4,9,1]\n  %1 = reshape %y {shape=[4,1,7]} : "
      "f32[4,1,7]\n"
      "  %2 = dot_general %0, %1 {lhs=[2], rhs=[1], lhs_batch=[0], rhs_batch=[0]} : "
      "f32[4,9,7]\n"
      "  %3 = exp %2 : f32[4,9,7]\n"
      "  %4 = dot_general %i, %j {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : i32[3,20]\n  "
      "ret %3, %4\n}\n" },
    { "a counter that all examples share", false,
      "fn @test(%n: i32[], %c: f64[14,4]) -> bool[] {\n"
      "  %0 = constant {data=3} : i32[]\n  %1 = lt %n, %0 : bool[]\n  ret %1\n}\n"
      "fn @step(%n: i32[], %c: f64[14,4]) -> (i32[], f64[14,4]) {\n"
      "  %0 = convert %n {dtype=f64} : f64[]\n  %1 = broadcast_in_dim %0 {shape=[14,4], "
      "dims=[]} : f64[14,4]\n"
      "  %2 = constant {data=1} : i32[]\n  %3 = add %n, %2 : i32[]\n  ret %3, %1\n}\n"
      "fn @f(%x: f64[14,4]) -> f64[14,4] {\n"
      "  %0 = constant {data=0} : i32[]\n"
      "  %1, %2 = while %0, %x {cond=@test, body=@step} : i32[], f64[14,4]\n  ret %2\n}\n" },
    { "stacked columns", false,
      "fn @step(%w: f32[37], %x: f32[3]) -> (f32[3,37], f32[3,2]) {\n"
      "  %0 = broadcast_in_dim %w {shape=[3,37], dims=[1]} : f32[3,37]\n"
      "  %1 = broadcast_in_dim %x {shape=[3,37], dims=[0]} : f32[3,37]\n  %2 = mul %0, %1 : "
      "f32[3,37]\n"
      "  %3 = broadcast_in_dim %x {shape=[3,2], dims=[0]} : f32[3,2]\n  ret %2, %3\n}\n"
      "fn @f(%w: f32[37], %x: f32[11,3], %t: f32[4,37]) -> (f32[37,37], f32[3,2,11]) {\n"
      "  %0, %1 = scan %w, %x {consts=1, carries=0, length=11, body=@step} : f32[11,3,37], "
      "f32[11,3,2]\n"
      "  %2 = reshape %0 {shape=[33,37]} : f32[33,37]\n  %3 = neg %t : f32[4,37]\n"
      "  %4 = concatenate %2, %3 {axis=0} : f32[37,37]\n  %5 = transpose %4 {perm=[1,0]} : "
      "f32[37,37]\n"
      "  %6 = transpose %1 {perm=[1,2,0]} : f32[3,2,11]\n  ret %5, %6\n}\n" },
    { "stacked in a stack, backwards, and twice", false,
      "fn @inner(%x: f32[]) -> (f32[5], f32[5], f32[5]) {\n"
      "  %0 = broadcast_in_dim %x {shape=[5], dims=[]} : f32[5]\n  %1 = iota {dtype=f32, "
      "shape=[5], axis=0} : f32[5]\n"
      "  %2 = mul %0, %1 : f32[5]\n  %3 = exp %2 : f32[5]\n  ret %2, %3, %3\n}\n"
      "fn @outer(%y: f32[4]) -> (f32[5,4], f32[4,5], f32[10,4]) {\n"
      "  %0, %1, %2 = scan %y {carries=0, length=4, body=@inner} : f32[4,5], f32[4,5], "
      "f32[4,5]\n"
      "  %3 = transpose %0 {perm=[1,0]} : f32[5,4]\n  %4 = concatenate %1, %2 {axis=1} : "
      "f32[4,10]\n"
      "  %5 = transpose %4 {perm=[1,0]} : f32[10,4]\n  ret %3, %1, %5\n}\n"
      "fn @f(%y: f32[6,4]) -> (f32[5,6,4], f32[5,4,6], f32[6,40]) {\n"
      "  %0, %1, %2 = scan %y {carries=0, length=6, reverse=true, body=@outer} : f32[6,5,4], "
      "f32[6,4,5], f32[6,10,4]\n"
      "  %3 = transpose %0 {perm=[1,0,2]} : f32[5,6,4]\n  %4 = transpose %1 {perm=[2,1,0]} : "
      "f32[5,4,6]\n"
      "  %5 = reshape %2 {shape=[6,40]} : f32[6,40]\n  ret %3, %4, %5\n}\n" },
    { "pieces of products, halves and one piece twice", false,
      "fn @f(%x: f32[6,20], %y: f32[20,9]) -> (f32[24,9], f32[3,2,18]) {\n"
      "  %0 = dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[6,9]\n  "
      "%1 = exp %0 : f32[6,9]\n"
      "  %2 = dot_general %1, %y {lhs=[1], rhs=[1], lhs_batch=[], rhs_batch=[]} : f32[6,20]\n"
      "  %3 = dot_general %2, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[6,9]\n"
      "  %4 = concatenate %0, %3, %1, %3 {axis=0} : f32[24,9]\n  %5 = dot_general %2, %0 "
      "{lhs=[0], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[20,9]\n"
      "  %6 = slice %5 {start=[0,0], limit=[12,9], stride=[1,1]} : f32[12,9]\n  %7 = reshape "
      "%6 {shape=[3,2,18]} : f32[3,2,18]\n"
      "  ret %4, %7\n}\n" },
    { "parts of complex numbers", true,
      "fn @f(%z: f32[37,2], %w: f32[37,2]) -> (f32[37,2], f32[37,2]) {\n"
      "  %0 = slice %z {start=[0,0], limit=[37,1], stride=[1,1]} : f32[37,1]\n"
      "  %1 = slice %z {start=[0,1], limit=[37,2], stride=[1,1]} : f32[37,1]\n"
      "  %2 = slice %w {start=[0,1], limit=[37,2], stride=[1,1]} : f32[37,1]\n"
      "  %3 = mul %0, %2 : f32[37,1]\n  %4 = mul %1, %2 : f32[37,1]\n  %5 = add %3, %1 : "
      "f32[37,1]\n"
      "  %6 = concatenate %4, %5 {axis=1} : f32[37,2]\n  %7 = concatenate %1, %4 {axis=1} : "
      "f32[37,2]\n"
      "  ret %6, %7\n}\n" },
    { "parts of complex numbers, transposed", true,
      "fn @f(%z: f32[37,50,2], %d: f64[21,19,2]) -> (f32[50,37,2], f32[50,37], f64[19,21,2]) "
      "{\n"
      "  %0 = slice %z {start=[0,0,0], limit=[37,50,1], stride=[1,1,1]} : f32[37,50,1]\n"
      "  %1 = slice %z {start=[0,0,1], limit=[37,50,2], stride=[1,1,1]} : f32[37,50,1]\n"
      "  %2 = transpose %0 {perm=[1,0,2]} : f32[50,37,1]\n  %3 = transpose %1 {perm=[1,0,2]} : "
      "f32[50,37,1]\n"
      "  %4 = neg %3 : f32[50,37,1]\n  %5 = concatenate %2, %4 {axis=2} : f32[50,37,2]\n"
      "  %6 = mul %2, %3 : f32[50,37,1]\n  %7 = reshape %6 {shape=[50,37]} : f32[50,37]\n"
      "  %8 = slice %d {start=[0,0,0], limit=[21,19,1], stride=[1,1,1]} : f64[21,19,1]\n"
      "  %9 = slice %d {start=[0,0,1], limit=[21,19,2], stride=[1,1,1]} : f64[21,19,1]\n"
      "  %10 = transpose %8 {perm=[1,0,2]} : f64[19,21,1]\n  %11 = transpose %9 {perm=[1,0,2]} "
      ": f64[19,21,1]\n"
      "  %12 = concatenate %11, %10 {axis=2} : f64[19,21,2]\n  ret %5, %7, %12\n}\n" },
    { "a ring of two axes, in pieces", true,
      "fn @f(%x: f32[19,75]) -> (f32[19,75]) {\n"
      "  %0 = slice %x {start=[18,0], limit=[19,75], stride=[1,1]} : f32[1,75]\n"
      "  %1 = slice %x {start=[0,0], limit=[18,75], stride=[1,1]} : f32[18,75]\n"
      "  %2 = concatenate %0, %1 {axis=0} : f32[19,75]\n"
      "  %3 = slice %x {start=[0,73], limit=[19,75], stride=[1,1]} : f32[19,2]\n"
      "  %4 = slice %x {start=[0,0], limit=[19,73], stride=[1,1]} : f32[19,73]\n"
      "  %5 = concatenate %3, %4 {axis=1} : f32[19,75]\n  %6 = reverse %5 {axes=[0,1]} : "
      "f32[19,75]\n"
      "  %7 = add %2, %6 : f32[19,75]\n  %8 = mul %7, %x : f32[19,75]\n  ret %8\n}\n" },
    { "pads in pieces: every third, cut short, and of a merged axis", true,
      "fn @f(%x: f32[200], %y: f32[4,700], %c: f32[]) -> (f32[612], f32[2900], f32[196]) {\n"
      "  %0 = pad %x, %c {low=[5], high=[9], interior=[2]} : f32[612]\n  %1 = neg %0 : "
      "f32[612]\n"
      "  %2 = reshape %y {shape=[2800]} : f32[2800]\n  %3 = pad %2, %c {low=[33], high=[67], "
      "interior=[0]} : f32[2900]\n"
      "  %4 = reverse %3 {axes=[0]} : f32[2900]\n  %5 = add %3, %4 : f32[2900]\n"
      "  %6 = pad %x, %c {low=[-7], high=[3], interior=[0]} : f32[196]\n  %7 = mul %6, %6 : "
      "f32[196]\n"
      "  ret %1, %5, %7\n}\n" },
    { "many pieces side by side", false,
      "fn @f(%x: f32[3,40], %y: f32[3,130], %z: f32[3,1]) -> f32[3,432] {\n"
      "  %0 = neg %y : f32[3,130]\n  %1 = mul %x, %x : f32[3,40]\n"
      "  %2 = concatenate %x, %0, %z, %1, %y, %z, %1, %x, %z, %x, %z {axis=1} : f32[3,464]\n"
      "  %3 = slice %2 {start=[0,8], limit=[3,440], stride=[1,1]} : f32[3,432]\n  ret "
      "%3\n}\n" },
    { "a quotient beside the pad of its one element is no 0 / 0", false,
      "fn @f(%x: f32[1,1], %y: f32[1,1], %z: f64[1,3], %w: f64[1,3]) -> (f32[2,2], f64[2,4]) "
      "{\n"
      "  %c = constant {data=0} : f32[]\n  %d = constant {data=0} : f64[]\n"
      "  %0 = div %x, %y : f32[1,1]\n"
      "  %1 = pad %0, %c {low=[0,0], high=[1,1], interior=[0,0]} : f32[2,2]\n"
      "  %2 = div %z, %w : f64[1,3]\n"
      "  %3 = pad %2, %d {low=[0,0], high=[1,1], interior=[0,0]} : f64[2,4]\n"
      "  ret %1, %3\n}\n" },
    { "windows over a pad", false,
      "fn @f(%x: f32[20,40], %c: f32[]) -> f32[20,40] {\n"
      "  %0 = pad %x, %c {low=[1,2], high=[1,2], interior=[0,0]} : f32[22,44]\n"
      "  %1 = windows %0 {axis=0, size=3} : f32[20,44,3]\n  %2 = windows %1 {axis=1, size=5} : "
      "f32[20,40,3,5]\n"
      "  %3 = reduce_max %2 {axes=[2,3]} : f32[20,40]\n  ret %3\n}\n" },
    { "a few counters of 64 bits", false,
      "fn @f(%x: f32[3,300]) -> f32[3,300] {\n"
      "  %0 = iota {dtype=u64, shape=[3,300], axis=1} : u64[3,300]\n  %1 = convert %0 "
      "{dtype=f32} : f32[3,300]\n"
      "  %2 = mul %1, %x : f32[3,300]\n  %3 = exp %2 : f32[3,300]\n  %4 = sin %3 : "
      "f32[3,300]\n  ret %4\n}\n" },
    { "a stack behind a barrier, of what was turned", true,
      "fn @f(%x: f32[37,3]) -> (f32[37,2], f32[4,37]) {\n"
      "  %0 = transpose %x {perm=[1,0]} : f32[3,37]\n  %1 = barrier %0 : f32[3,37]\n"
      "  %2 = slice %1 {start=[0,0], limit=[1,37], stride=[1,1]} : f32[1,37]\n"
      "  %3 = slice %1 {start=[1,0], limit=[2,37], stride=[1,1]} : f32[1,37]\n"
      "  %4 = slice %1 {start=[2,0], limit=[3,37], stride=[1,1]} : f32[1,37]\n"
      "  %5 = div %3, %2 : f32[1,37]\n  %6 = sin %5 : f32[1,37]\n  %7 = mul %6, %4 : "
      "f32[1,37]\n"
      "  %8 = concatenate %6, %7, %2, %5 {axis=0} : f32[4,37]\n  %9 = barrier %8 : f32[4,37]\n"
      "  %10 = slice %9 {start=[1,0], limit=[3,37], stride=[1,1]} : f32[2,37]\n"
      "  %11 = transpose %10 {perm=[1,0]} : f32[37,2]\n  %12 = neg %9 : f32[4,37]\n  ret %11, "
      "%12\n}\n" },
    { "stacks of three and four", false,
      "fn @f(%x: f64[5,9]) -> (f64[5,9,3], f64[5,9,4]) {\n"
      "  %0 = reshape %x {shape=[5,9,1]} : f64[5,9,1]\n  %1 = neg %0 : f64[5,9,1]\n  %2 = mul "
      "%0, %0 : f64[5,9,1]\n"
      "  %3 = concatenate %0, %1, %2 {axis=2} : f64[5,9,3]\n  %4 = concatenate %2, %0, %1, %1 "
      "{axis=2} : f64[5,9,4]\n"
      "  ret %3, %4\n}\n" },
    { "fft", false,
      "fn @f(%x: f32[3,24,2], %y: f64[20,2]) -> (f32[3,24,2], f64[20,2]) {\n"
      "  %0 = fft %x : f32[3,24,2]\n  %1 = fft %y {inverse=true} : f64[20,2]\n  ret %0, "
      "%1\n}\n" },
    { "blocks of columns side by side", false,
      "fn @f(%x: f32[37,32,10], %y: f32[]) -> f32[37,320] {\n"
      "  %0 = transpose %x {perm=[0,2,1]} : f32[37,10,32]\n  %1 = reshape %0 {shape=[37,320]} "
      ": f32[37,320]\n"
      "  %2 = slice %1 {start=[0,3], limit=[37,320], stride=[1,1]} : f32[37,317]\n"
      "  %3 = pad %2, %y {low=[0,3], high=[0,0], interior=[0,0]} : f32[37,320]\n"
      "  %4 = exp %3 : f32[37,320]\n  ret %4\n}\n" },
    { "every other element backwards; truths", false,
      "fn @f(%x: f32[200], %p: bool[100]) -> (f32[100], bool[100]) {\n"
      "  %0 = slice %x {start=[0], limit=[200], stride=[2]} : f32[100]\n"
      "  %1 = reverse %0 {axes=[0]} : f32[100]\n  %2 = sqrt %1 : f32[100]\n"
      "  %3 = lt %2, %1 : bool[100]\n  %4 = and %3, %p : bool[100]\n"
      "  %5 = select %p, %2, %1 : f32[100]\n  ret %5, %4\n}\n" },
    { "outputs twice", false,
      "fn @f(%x: f32[5]) -> (f32[5], f32[5], f32[5]) {\n"
      "  %0 = neg %x : f32[5]\n  ret %0, %x, %0\n}\n" },
    { "lanes three apart", true,
      "fn @f(%x: f32[70,3], %y: f32[70,3]) -> f32[70,3] {\n"
      "  %0 = slice %x {start=[0,0], limit=[70,1], stride=[1,1]} : f32[70,1]\n"
      "  %1 = slice %x {start=[0,1], limit=[70,2], stride=[1,1]} : f32[70,1]\n"
      "  %2 = slice %x {start=[0,2], limit=[70,3], stride=[1,1]} : f32[70,1]\n"
      "  %3 = slice %y {start=[0,0], limit=[70,1], stride=[1,1]} : f32[70,1]\n"
      "  %4 = slice %y {start=[0,1], limit=[70,2], stride=[1,1]} : f32[70,1]\n"
      "  %5 = slice %y {start=[0,2], limit=[70,3], stride=[1,1]} : f32[70,1]\n"
      "  %6 = mul %1, %5 : f32[70,1]\n"
      "  %7 = mul %2, %4 : f32[70,1]\n"
      "  %8 = sub %6, %7 : f32[70,1]\n"
      "  %9 = mul %2, %3 : f32[70,1]\n"
      "  %10 = mul %0, %5 : f32[70,1]\n"
      "  %11 = sub %9, %10 : f32[70,1]\n"
      "  %12 = mul %0, %4 : f32[70,1]\n"
      "  %13 = mul %1, %3 : f32[70,1]\n"
      "  %14 = sub %12, %13 : f32[70,1]\n"
      "  %15 = concatenate %8, %11, %14 {axis=1} : f32[70,3]\n"
      "  ret %15\n"
      "}\n" },
    { "lanes 4 apart", true,
      "fn @f(%x: f32[67,4]) -> f32[67,4] {\n"
      "  %0 = slice %x {start=[0,0], limit=[67,1], stride=[1,1]} : f32[67,1]\n"
      "  %1 = slice %x {start=[0,1], limit=[67,2], stride=[1,1]} : f32[67,1]\n"
      "  %2 = slice %x {start=[0,2], limit=[67,3], stride=[1,1]} : f32[67,1]\n"
      "  %3 = slice %x {start=[0,3], limit=[67,4], stride=[1,1]} : f32[67,1]\n"
      "  %4 = mul %3, %0 : f32[67,1]\n"
      "  %5 = add %4, %1 : f32[67,1]\n"
      "  %6 = mul %2, %1 : f32[67,1]\n"
      "  %7 = add %6, %2 : f32[67,1]\n"
      "  %8 = mul %1, %2 : f32[67,1]\n"
      "  %9 = add %8, %3 : f32[67,1]\n"
      "  %10 = mul %0, %3 : f32[67,1]\n"
      "  %11 = add %10, %0 : f32[67,1]\n"
      "  %12 = concatenate %5, %7, %9, %11 {axis=1} : f32[67,4]\n"
      "  ret %12\n"
      "}\n" },
    { "lanes 5 apart", true,
      "fn @f(%x: f32[67,5]) -> f32[67,5] {\n"
      "  %0 = slice %x {start=[0,0], limit=[67,1], stride=[1,1]} : f32[67,1]\n"
      "  %1 = slice %x {start=[0,1], limit=[67,2], stride=[1,1]} : f32[67,1]\n"
      "  %2 = slice %x {start=[0,2], limit=[67,3], stride=[1,1]} : f32[67,1]\n"
      "  %3 = slice %x {start=[0,3], limit=[67,4], stride=[1,1]} : f32[67,1]\n"
      "  %4 = slice %x {start=[0,4], limit=[67,5], stride=[1,1]} : f32[67,1]\n"
      "  %5 = mul %4, %0 : f32[67,1]\n"
      "  %6 = add %5, %1 : f32[67,1]\n"
      "  %7 = mul %3, %1 : f32[67,1]\n"
      "  %8 = add %7, %2 : f32[67,1]\n"
      "  %9 = mul %2, %2 : f32[67,1]\n"
      "  %10 = add %9, %3 : f32[67,1]\n"
      "  %11 = mul %1, %3 : f32[67,1]\n"
      "  %12 = add %11, %4 : f32[67,1]\n"
      "  %13 = mul %0, %4 : f32[67,1]\n"
      "  %14 = add %13, %0 : f32[67,1]\n"
      "  %15 = concatenate %6, %8, %10, %12, %14 {axis=1} : f32[67,5]\n"
      "  ret %15\n"
      "}\n" },
    { "lanes 6 apart", true,
      "fn @f(%x: f32[67,6]) -> f32[67,6] {\n"
      "  %0 = slice %x {start=[0,0], limit=[67,1], stride=[1,1]} : f32[67,1]\n"
      "  %1 = slice %x {start=[0,1], limit=[67,2], stride=[1,1]} : f32[67,1]\n"
      "  %2 = slice %x {start=[0,2], limit=[67,3], stride=[1,1]} : f32[67,1]\n"
      "  %3 = slice %x {start=[0,3], limit=[67,4], stride=[1,1]} : f32[67,1]\n"
      "  %4 = slice %x {start=[0,4], limit=[67,5], stride=[1,1]} : f32[67,1]\n"
      "  %5 = slice %x {start=[0,5], limit=[67,6], stride=[1,1]} : f32[67,1]\n"
      "  %6 = mul %5, %0 : f32[67,1]\n"
      "  %7 = add %6, %1 : f32[67,1]\n"
      "  %8 = mul %4, %1 : f32[67,1]\n"
      "  %9 = add %8, %2 : f32[67,1]\n"
      "  %10 = mul %3, %2 : f32[67,1]\n"
      "  %11 = add %10, %3 : f32[67,1]\n"
      "  %12 = mul %2, %3 : f32[67,1]\n"
      "  %13 = add %12, %4 : f32[67,1]\n"
      "  %14 = mul %1, %4 : f32[67,1]\n"
      "  %15 = add %14, %5 : f32[67,1]\n"
      "  %16 = mul %0, %5 : f32[67,1]\n"
      "  %17 = add %16, %0 : f32[67,1]\n"
      "  %18 = concatenate %7, %9, %11, %13, %15, %17 {axis=1} : f32[67,6]\n"
      "  ret %18\n"
      "}\n" },
    { "lanes 7 apart", true,
      "fn @f(%x: f32[67,7]) -> f32[67,7] {\n"
      "  %0 = slice %x {start=[0,0], limit=[67,1], stride=[1,1]} : f32[67,1]\n"
      "  %1 = slice %x {start=[0,1], limit=[67,2], stride=[1,1]} : f32[67,1]\n"
      "  %2 = slice %x {start=[0,2], limit=[67,3], stride=[1,1]} : f32[67,1]\n"
      "  %3 = slice %x {start=[0,3], limit=[67,4], stride=[1,1]} : f32[67,1]\n"
      "  %4 = slice %x {start=[0,4], limit=[67,5], stride=[1,1]} : f32[67,1]\n"
      "  %5 = slice %x {start=[0,5], limit=[67,6], stride=[1,1]} : f32[67,1]\n"
      "  %6 = slice %x {start=[0,6], limit=[67,7], stride=[1,1]} : f32[67,1]\n"
      "  %7 = mul %6, %0 : f32[67,1]\n"
      "  %8 = add %7, %1 : f32[67,1]\n"
      "  %9 = mul %5, %1 : f32[67,1]\n"
      "  %10 = add %9, %2 : f32[67,1]\n"
      "  %11 = mul %4, %2 : f32[67,1]\n"
      "  %12 = add %11, %3 : f32[67,1]\n"
      "  %13 = mul %3, %3 : f32[67,1]\n"
      "  %14 = add %13, %4 : f32[67,1]\n"
      "  %15 = mul %2, %4 : f32[67,1]\n"
      "  %16 = add %15, %5 : f32[67,1]\n"
      "  %17 = mul %1, %5 : f32[67,1]\n"
      "  %18 = add %17, %6 : f32[67,1]\n"
      "  %19 = mul %0, %6 : f32[67,1]\n"
      "  %20 = add %19, %0 : f32[67,1]\n"
      "  %21 = concatenate %8, %10, %12, %14, %16, %18, %20 {axis=1} : f32[67,7]\n"
      "  ret %21\n"
      "}\n" },
    { "short rows of 9 at once", true,
      "fn @f(%x: f32[23,9]) -> f32[23,9] {\n"
      "  %0 = reduce_max %x {axes=[1]} : f32[23]\n"
      "  %1 = broadcast_in_dim %0 {shape=[23,9], dims=[0]} : f32[23,9]\n"
      "  %2 = sub %x, %1 : f32[23,9]\n"
      "  %3 = exp %2 : f32[23,9]\n"
      "  %4 = reduce_sum %3 {axes=[1]} : f32[23]\n"
      "  %5 = broadcast_in_dim %4 {shape=[23,9], dims=[0]} : f32[23,9]\n"
      "  %6 = div %3, %5 : f32[23,9]\n"
      "  ret %6\n"
      "}\n" },
    { "short rows of 20 at once", true,
      "fn @f(%x: f32[23,20]) -> f32[23,20] {\n"
      "  %0 = reduce_max %x {axes=[1]} : f32[23]\n"
      "  %1 = broadcast_in_dim %0 {shape=[23,20], dims=[0]} : f32[23,20]\n"
      "  %2 = sub %x, %1 : f32[23,20]\n"
      "  %3 = exp %2 : f32[23,20]\n"
      "  %4 = reduce_sum %3 {axes=[1]} : f32[23]\n"
      "  %5 = broadcast_in_dim %4 {shape=[23,20], dims=[0]} : f32[23,20]\n"
      "  %6 = div %3, %5 : f32[23,20]\n"
      "  ret %6\n"
      "}\n" },
    { "short rows of 70 at once", true,
      "fn @f(%x: f32[23,70]) -> f32[23,70] {\n"
      "  %0 = reduce_max %x {axes=[1]} : f32[23]\n"
      "  %1 = broadcast_in_dim %0 {shape=[23,70], dims=[0]} : f32[23,70]\n"
      "  %2 = sub %x, %1 : f32[23,70]\n"
      "  %3 = exp %2 : f32[23,70]\n"
      "  %4 = reduce_sum %3 {axes=[1]} : f32[23]\n"
      "  %5 = broadcast_in_dim %4 {shape=[23,70], dims=[0]} : f32[23,70]\n"
      "  %6 = div %3, %5 : f32[23,70]\n"
      "  ret %6\n"
      "}\n" },
    { "a long tail of each row", true,
      "fn @f(%x: f32[70,24], %w: f32[24]) -> (f32[70], f32[70]) {\n"
      "  %0 = dot_general %x, %w {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[70]\n"
      "  %1 = logistic %0 : f32[70]\n"
      "  %2 = reduce_min %x {axes=[1]} : f32[70]\n"
      "  %3 = tanh %2 : f32[70]\n"
      "  ret %1, %3\n"
      "}\n" },
    { "a sum over uneven rows", false,
      "fn @f(%x: f32[110,40], %b: f32[40]) -> f32[] {\n"
      "  %0 = broadcast_in_dim %b {shape=[110,40], dims=[1]} : f32[110,40]\n"
      "  %1 = add %x, %0 : f32[110,40]\n"
      "  %2 = mul %1, %1 : f32[110,40]\n"
      "  %3 = reduce_sum %2 {axes=[0,1]} : f32[]\n"
      "  ret %3\n"
      "}\n" },
    { "pairs of points", true,
      "fn @f(%x: f32[33,3]) -> f32[33,33,3] {\n"
      "  %0 = broadcast_in_dim %x {shape=[33,33,3], dims=[0,2]} : f32[33,33,3]\n"
      "  %1 = broadcast_in_dim %x {shape=[33,33,3], dims=[1,2]} : f32[33,33,3]\n"
      "  %2 = sub %0, %1 : f32[33,33,3]\n"
      "  ret %2\n"
      "}\n" },
};
static const int lower_graph_count = sizeof lower_graphs / sizeof *lower_graphs;
