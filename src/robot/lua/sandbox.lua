-- Runs before each script: removes what reaches outside.
dofile, loadfile, collectgarbage, warn = nil, nil, nil, nil
string.dump = nil
os = { time = os.time, clock = os.clock, date = os.date, difftime = os.difftime }

-- Text only: compiled code can leave the sandbox.
local load_any = load
function load(chunk, name, _, ...)
  return load_any(chunk, name, 't', ...)
end
