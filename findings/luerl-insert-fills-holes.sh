#!/bin/sh
# Luerl 1.0 of Debian 12 (erlang-luerl 1:1.0-2, on Erlang 25): table.insert fills the first hole, and table.concat stops
# there without an error.
# Expected: the end of the list for table.insert({1, 2, 3, nil, 5}, "x"), and an error for table.concat({1, nil, 3}).
# Seen: the hole, and only what is before it; inserting at a place shifts up to the hole and overwrites nothing behind.
. "$(dirname "$0")/shared/debian-luerl.sh"

cat > script.lua <<'EOF'
local appended = { 1, 2, 3, nil, 5 }
table.insert(appended, "x")
local shifted = { 1, nil, 3 }
table.insert(shifted, 1, "x")
return "appended: " .. table.concat(appended, " ") .. "\nshifted: " .. table.concat(shifted, " ") .. "\njoined: " .. table.concat({ 1, nil, 3 }, " ")
EOF
run > seen
cat > expected <<'EOF'
appended: 1 2 3 x 5
shifted: x 1 3
joined: 1
EOF
diff expected seen

echo 'As found on 28 November 2026, with luerl 1.0.'
