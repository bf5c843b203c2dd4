#!/bin/sh
# Luerl 1.0 of Debian 12 (erlang-luerl 1:1.0-2, on Erlang 25): // does not round down between -1 and 0.
# Expected: -1 for -1 // 2, as for -1.0 // 2, so that a == a // b * b + a % b.
# Seen: 0: whole numbers whose quotient is between -1 and 0 are cut, all others rounded down.
# Needs Debian's erlang-base; the package itself is unpacked in a temporary folder.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq erlang-luerl=1:1.0-2 2>/dev/null
dpkg -x erlang-luerl_*.deb .

# Runs script.lua: prints its result, or why it ended.
run() {
  erl -noshell -pa usr/lib/erlang/lib/luerl-1/ebin -eval '
    {ok, Script} = file:read_file("script.lua"),
    case luerl:eval(Script, luerl:init()) of
      {ok, [Text | _]} when is_binary(Text) -> io:format("~ts~n", [Text]);
      {error, Reason, _} when is_tuple(Reason) -> io:format("ends: ~w~n", [element(1, Reason)]);
      {error, Reason, _} -> io:format("ends: ~w~n", [Reason])
    end,
    halt().'
}

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
