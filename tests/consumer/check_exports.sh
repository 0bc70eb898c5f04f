#!/bin/sh
# NM LIBRARY: the library defines wgp::fit for others, and nothing outside of the public headers' namespace.
found=$("$1" -DC --defined-only "$2" | sed 's/^[0-9a-f]* . //')
echo "$found" | grep -q '^wgp::fit(' || { echo "wgp::fit is not there"; exit 1; }
strange=$(echo "$found" | grep -vE '^wgp::|^(typeinfo|typeinfo name|vtable|VTT|construction vtable) for wgp::')
inner=$(echo "$found" | grep -E '^wgp::(generic|avx2|avx512|neon|settings|Sweep|Executor|RunControl|Evidence|fit_by)')
[ -z "$strange$inner" ] || { echo "$strange"; echo "$inner"; exit 1; }
