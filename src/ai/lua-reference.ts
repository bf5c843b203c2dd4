/** The functions that scripts of the robot can call, as a prompt. [rule R17] */
export const luaReference = `Lua 5.2 runs on the robot. Coordinates and heights are millimetres, times milliseconds, "pin" is a pin number.
Moving
  move{x=, y=, z=, speed=, safe_z=}  all optional; speed 1-100; safe_z=true raises the head first
  find_home(axis)  go_to_home(axis)  axis "x", "y", "z" or "all"
  get_position() -> {x, y, z}        get_position("x") -> number
  check_position({x=, y=, z=}, tolerance) -> boolean
  soft_stop()  emergency_lock()  emergency_unlock()
Pins
  on(pin)  off(pin)  toggle_pin(pin)
  write_pin(pin, "digital", 0 or 1)  write_pin(pin, "analog", 0-255)
  read_pin(pin, "digital" or "analog") -> number
  set_pin_io_mode(pin, "input", "input_pullup" or "output")
  watch_pin(pin, function(data) ... data.value ... end)
Tools
  get_tool{name=} or get_tool{id=} -> {id, name, flow_rate_ml_per_s, seeder_tip_z_offset}
  verify_tool() -> boolean           mount_tool(tool or its name)  dismount_tool()
  dispense(millilitres, {tool_name=, pin=})
  get_seed_tray_cell(tray, "B3") -> {x, y, z}
Garden
  get_plants() get_weeds() -> lists of {id, name, x, y, z, radius, plant_stage}
  sort(points, "nn") -> the same, each the nearest to the one before; also "xy_ascending", "yx_alternating", "random"
  water(plant)  soil_height(x, y) -> number  garden_size() -> {x, y}
  grid{grid_points={x=,y=,z=}, start={x=,y=,z=}, spacing={x=,y=,z=}}.each(function(cell) ... end)
  photo_grid().each(function(cell) ... end)   cell = {x, y, z, count}; grids have .total
Camera
  take_photo()  detect_weeds()  measure_soil_height()  calibrate_camera()
Messages
  toast(message, type)  send_message(type, message, {"toast", "email"})  debug(message)
  type "success", "busy", "warn", "error", "info" or "fun"
  set_job(name, {percent=, status=})  complete_job(name)
Values
  variable("Label")                  a variable of the sequence
  env("key") -> text or nil          env("key", "value") stores it
  wait(ms)  current_hour() current_minute() current_month()  os.time()
  get_device("field")  update_device({...})  get_fbos_config("field")  update_fbos_config({...})
  get_firmware_config("field")  update_firmware_config({...})
Data
  api{method="get", url="/api/points", body={...}} -> decoded reply, or nil
  http{url=, method=, headers={}, body=} -> {status, body}
  json.encode(value)  json.decode(text)
  cs_eval({kind="rpc_request", args={label="x", priority=500}, body={ ... }})  runs steps of the command language`;
