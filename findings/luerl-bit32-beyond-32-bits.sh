#!/bin/sh
# Luerl 1.0 of Debian 12 (erlang-luerl 1:1.0-2, on Erlang 25): bit32 shifts beyond 32 bits, and its complement is
# negative.
# Expected: 0 for bit32.lshift(1, 32), 4294967295 for bit32.bnot(0), as the manual of Lua 5.2 says.
# Seen: 4294967296 and -1; all results are floats. lrotate stays within 32 bits.
. "$(dirname "$0")/shared/debian-luerl.sh"

cat > script.lua <<'EOF'
return table.concat({
  "lshift(1, 32) = " .. tostring(bit32.lshift(1, 32)),
  "bnot(0) = " .. tostring(bit32.bnot(0)),
  "band(6, 3) = " .. tostring(bit32.band(6, 3)),
  "lrotate(1, 33) = " .. tostring(bit32.lrotate(1, 33)),
}, "\n")
EOF
run > seen
cat > expected <<'EOF'
lshift(1, 32) = 4294967296.0
bnot(0) = -1.0
band(6, 3) = 2.0
lrotate(1, 33) = 2.0
EOF
diff expected seen

echo 'As found on 28 November 2026, with luerl 1.0.'
