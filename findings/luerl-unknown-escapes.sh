#!/bin/sh
# Luerl 1.0 of Debian 12 (erlang-luerl 1:1.0-2, on Erlang 25): escape sequences that Lua has not are accepted, some with
# a meaning of Erlang.
# Expected: "invalid escape sequence" for "\\s", "\\d", "\\q", the bell for "\\a".
# Seen: "\\s" is a space, "\\d" the character 127, "\\e" 27, "\\q" a q, and "\\a" an a instead of the bell.
. "$(dirname "$0")/shared/debian-luerl.sh"

cat > script.lua <<'EOF'
return table.concat({ ("\s"):byte(), ("\d"):byte(), ("\e"):byte(), ("\q"):byte(), ("\a"):byte() }, " ")
EOF
run > seen
cat > expected <<'EOF'
32 127 27 113 97
EOF
diff expected seen

echo 'As found on 28 November 2026, with luerl 1.0.'
