import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentOptionsSchema, parseAgentOptions } from '#runtime/agent/options/agent-options';

const page = await readFile(path.resolve(import.meta.dirname, '../../../docs/embedding.md'), 'utf8');
const examples = ['agent', 'standalone', 'express', 'fastify', 'koa', 'nest'];
const required = { authSecret: 'secret', envSecret: 'a'.repeat(64) };

/** The rows of the table of options: name and default. */
const rows = [...page.matchAll(/^\| `([\w.]+)` \| (.+?) \| .+ \|$/gm)]
  .map(([, name = '', value = '']) => ({ name, value }))
  .filter(({ name }) => !['include', 'exclude', 'rename'].includes(name));

/** Options as one level of names, `bodyParserOptions.jsonLimit`. */
function flattened(options: object): Readonly<Record<string, unknown>> {
  const {
    bodyParserOptions = {},
    limits = {},
    rest = {},
    experimental = {},
    telemetry = {},
    ...others
  } = options as Record<string, object>;
  const nested = Object.entries({ bodyParserOptions, limits, rest, experimental, telemetry }).flatMap(
    ([group, members]) => Object.entries(members).map(([name, value]) => [`${group}.${name}`, value]),
  );
  return { ...others, ...Object.fromEntries(nested) };
}

/** The value a default stands for; `undefined` for one that is reported in words. */
function written(value: string): unknown {
  const text = /^`(.+)`$/.exec(value)?.[1];
  if (text === undefined || rows.some(({ name }) => name === text)) return undefined;
  return /^[[{]|^(true|false|\d+)$/.test(text) ? JSON.parse(text) : text;
}

describe('the page about embedding', () => {
  it('has the examples that are compiled here, and no other', async () => {
    const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block]) => block);
    const files = examples.map(async (name) => {
      const text = await readFile(path.join(import.meta.dirname, 'embedding', `${name}.ts`), 'utf8');
      return text.replace('../../../../src/exports/agent.ts', '@vendor/cloud/agent');
    });
    expect(blocks).toEqual(await Promise.all(files));
  });

  it('lists exactly the options that there are', () => {
    const { bodyParserOptions, limits, rest, experimental, telemetry, ...options } = agentOptionsSchema.shape;
    const groups = { bodyParserOptions, limits, rest, experimental, telemetry };
    const nested = Object.entries(groups).flatMap(([group, schema]) =>
      Object.keys(schema.unwrap().shape).map((name) => `${group}.${name}`),
    );
    expect(rows.map(({ name }) => name).sort()).toEqual([...Object.keys(options), ...nested].sort());
  });

  it.each(rows)('tells the default of $name', ({ name, value }) => {
    if (value === 'required') {
      expect(() => parseAgentOptions({ ...required, [name]: undefined })).toThrow(`"${name}"`);
      return;
    }
    const [option = '', inner] = name.split('.');
    const given = inner === undefined ? written(value) : { [inner]: written(value) };
    const parsed = flattened(parseAgentOptions({ ...required, ...(given === undefined ? {} : { [option]: given }) }));
    expect(parsed[name]).toEqual(flattened(parseAgentOptions(required))[name]);
    if (written(value) === undefined) expect(parsed[name]).toBeUndefined();
  });
});
