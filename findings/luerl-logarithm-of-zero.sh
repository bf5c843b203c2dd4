#!/bin/sh
# Luerl 1.0 of Debian 12 (erlang-luerl 1:1.0-2, on Erlang 25): math.log10(0) is -500, math.log(0) ends the script.
# Expected: minus infinity for both, or the same error.
# Seen: -500.0; math.log(0) is an error of Erlang that pcall does not catch.
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
return "log10(0) = " .. tostring(math.log10(0)) .. ", log(1) = " .. tostring(math.log(1))
EOF
run > seen
cat > expected <<'EOF'
log10(0) = -500.0, log(1) = 0.0
EOF
diff expected seen

cat > script.lua <<'EOF'
return pcall(math.log, 0)
EOF
run | tail -n 1 > seen
echo 'ends: badarith' > expected
diff expected seen

echo 'As found on 28 November 2026, with luerl 1.0.'
