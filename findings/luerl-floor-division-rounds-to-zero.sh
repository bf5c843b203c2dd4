#!/bin/sh
# Luerl 1.0 of Debian 12 (erlang-luerl 1:1.0-2, on Erlang 25): // does not round down between -1 and 0.
# Expected: -1 for -1 // 2, as for -1.0 // 2, so that a == a // b * b + a % b.
# Seen: 0: whole numbers whose quotient is between -1 and 0 are cut, all others rounded down.
. "$(dirname "$0")/shared/debian-luerl.sh"

cat > script.lua <<'EOF'
local a, b = -1, 2
return table.concat({
  "-1 // 2 = " .. tostring(a // b),
  "-1.0 // 2 = " .. tostring(-1.0 // 2),
  "-3 // 2 = " .. tostring(-3 // 2),
  "-1 // 2 * 2 + -1 % 2 = " .. tostring(a // b * b + a % b),
}, "\n")
EOF
run > seen
cat > expected <<'EOF'
-1 // 2 = 0
-1.0 // 2 = -1.0
-3 // 2 = -2
-1 // 2 * 2 + -1 % 2 = 1
EOF
diff expected seen

echo 'As found on 28 November 2026, with luerl 1.0.'
