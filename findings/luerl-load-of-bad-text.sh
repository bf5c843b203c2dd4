#!/bin/sh
# Luerl 1.0 of Debian 12 (erlang-luerl 1:1.0-2, on Erlang 25): load of text that is not Lua ends the script.
# Expected: nil and a message, which is what load is for.
# Seen: function_clause, out of Luerl, also within pcall; load of Lua works.
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
return "load: " .. tostring(load("return 1 + 1")())
EOF
run > seen
cat > expected <<'EOF'
load: 2
EOF
diff expected seen

cat > script.lua <<'EOF'
return pcall(load, "return +")
EOF
run | tail -n 1 > seen
echo 'ends: function_clause' > expected
diff expected seen

echo 'As found on 28 November 2026, with luerl 1.0.'
