#!/bin/sh
# Luerl 1.0 of Debian 12 (erlang-luerl 1:1.0-2, on Erlang 25): pairs follows the order of keys.
# Expected: any order, as the manual says, usually that of a hash.
# Seen: the list, then other numbers, then true, then text, each sorted: programs can come to rely on it, and fail
# elsewhere.
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
local keys = {}
for key in pairs({ zeta = 1, Alpha = 1, [100] = 1, beta = 1, [7] = 1, [-1] = 1, [1.5] = 1, [true] = 1 }) do
  keys[#keys + 1] = tostring(key)
end
return table.concat(keys, " ")
EOF
run > seen
cat > expected <<'EOF'
7 100 -1 1.5 true Alpha beta zeta
EOF
diff expected seen

echo 'As found on 28 November 2026, with luerl 1.0.'
