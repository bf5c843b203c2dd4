import { execFileSync } from 'node:child_process';

const toJson = 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)';

/** Parses YAML with PyYAML, as docker-compose, which brings it along, and Home Assistant do: a bare `off` is a truth value. */
export const parseYaml = (text: string): unknown =>
  JSON.parse(execFileSync('/usr/bin/python3', ['-c', toJson], { input: text, encoding: 'utf8' }));
