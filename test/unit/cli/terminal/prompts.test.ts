import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { askForDatabase, askForUri } from '#cli/asking/ask-for-database';
import { askForFields } from '#cli/asking/ask-for-fields';
import {
  confirmPermissions,
  confirmReset,
  confirmRevokedClient,
  confirmRevokedToken,
  confirmRotatedToken,
  confirmSwap,
  confirmUndo,
  confirmUnsetVariables,
} from '#cli/asking/confirm-change';
import { confirmClearedMark, confirmGrant, decideAsk } from '#cli/asking/confirm-mcp';
import { readSecret, readToken } from '#cli/asking/read-secret';
import type { CliContext } from '#cli/invocation/cli-context';
import { createPrompts } from '#cli/terminal/prompts';
import { createTerminal } from '#cli/terminal/terminal';
import { type FormField, formFieldSchema } from '#flows/run/form-field-values';
import { silentReporter } from '#kernel/ports/reporter';
import { processEnvironment } from '#node/environment/process-environment';
import { readSources } from '../../../architecture/source-tree.ts';

type Person = Pick<CliContext, 'isInteractive' | 'prompts' | 'reporter'>;

const keys = { 'Ctrl-C': '\u0003', 'Ctrl-D': '\u0004', 'the end of the input': null };
const enter = '\r';

/** Somebody at a terminal who types this when they are asked; `null` closes the terminal. `seen` is what it shows. */
function person(typed: string | null): Person & { seen(): string } {
  const input = new PassThrough();
  const output = new PassThrough();
  const answer = () => (typed === null ? input.end() : input.write(typed));
  let screen = '';
  output.on('data', (part: Buffer) => {
    if (screen === '') setImmediate(answer);
    screen += part.toString('utf8');
  });
  const prompts = createPrompts({ input, output });
  return { isInteractive: true, prompts, reporter: silentReporter, seen: () => screen };
}

const nobody: Person = { isInteractive: false, prompts: createPrompts(), reporter: silentReporter };
const terminal = createTerminal(processEnvironment, { isJson: true, hasColor: false });
const stdin = { isInputTerminal: true, input: new PassThrough() };
const nothing = { deployment: null, version: null };
const ask = {
  id: 'a1',
  tool: 'delete',
  preview: { message: 'Delete 1 record of orders?', count: 1, sample: [], details: [] },
  answer: null,
  expiresAt: '2030-01-01T00:00:00.000Z',
};
const requested = {
  ...{ id: 4, collection: 'orders', action: 'Refund', values: { Reason: 'late' }, problem: null },
  records: [{ id: '1', values: { ref: 'A-1' } }],
};
const mark = {
  ...{ id: 3, environment: 'production', client: 'c', clientName: 'An editor', personId: 1, records: 2, asks: [ask] },
  ...{ markedAt: '2030-01-01T00:00:00.000Z', reads: [], readCount: 0 },
};
const swap = { environment: 'production', current: nothing, target: nothing, changes: null };
const rights = {
  environment: 'production',
  revision: 1,
  removed: [],
  added: ['support reads orders'],
  leftOut: [],
  rolesLeftOut: [],
  isLockout: false,
};
const called = (line: string) => line.split(' ');
const unconfirmed = (line: string) => ({ isConfirmed: false, called: called(line) });
const token = { name: 'ci' };
const client = { environment: 'production', id: '3fa94c07be12', name: 'An editor' };
const undone = {
  ...{ collection: 'orders', recordId: '7', sequence: 4, action: 'update' as const },
  ...{ before: { status: 'open' }, after: { status: 'paid' } },
};
const variables = { environment: 'production', names: ['OLD'] };
const fill = (type: string | string[], enums?: string[]) => (asking: Person) =>
  askForFields(
    asking,
    called('run action orders refund'),
  )([{ field: 'Amount', type, enums, isRequired: true, isReadOnly: false }]);

/** Every question, the module that asks it, and the command to call where nobody can be asked. */
const questions: readonly (readonly [
  module: string,
  what: string,
  ask: (asking: Person) => Promise<unknown>,
  next: string,
])[] = [
  [
    'asking/ask-for-database',
    'bootstrap',
    (asking) => askForUri(asking, { directory: 'our admin', hasEnvSecret: false }),
    "vendor-cloud bootstrap 'our admin' --uri sqlite:./app.sqlite",
  ],
  [
    'asking/ask-for-database',
    'data-sources add',
    (asking) => askForDatabase(asking, 'archive'),
    'vendor-cloud data-sources add archive',
  ],
  [
    'asking/confirm-change',
    'data reset',
    (asking) =>
      confirmReset(asking, { given: undefined, called: called('data reset --project shop') })({
        name: 'shop',
        databases: ['main'],
      }),
    'vendor-cloud data reset --project shop --confirm shop',
  ],
  [
    'asking/confirm-change',
    'rollback and promote',
    (asking) => confirmSwap(asking, terminal, { isConfirmed: false, called: called('rollback 3') })(swap),
    'vendor-cloud rollback 3 --yes',
  ],
  [
    'asking/confirm-change',
    'permissions apply',
    (asking) =>
      confirmPermissions(asking, terminal, { isConfirmed: false, called: called('permissions apply') })(rights),
    'vendor-cloud permissions apply --yes',
  ],
  [
    'asking/confirm-change',
    'tokens revoke',
    (asking) => confirmRevokedToken(asking, unconfirmed('tokens revoke 3'))({ project: 'shop', token }),
    'vendor-cloud tokens revoke 3 --yes',
  ],
  [
    'asking/confirm-change',
    'tokens rotate',
    (asking) => confirmRotatedToken(asking, unconfirmed('tokens rotate 3'))({ project: 'shop', token }),
    'vendor-cloud tokens rotate 3 --yes',
  ],
  [
    'asking/confirm-change',
    'mcp clients revoke',
    (asking) => confirmRevokedClient(asking, unconfirmed('mcp clients revoke 3fa94c07be12'))(client),
    'vendor-cloud mcp clients revoke 3fa94c07be12 --yes',
  ],
  [
    'asking/confirm-change',
    'audit undo',
    (asking) =>
      confirmUndo(
        asking,
        unconfirmed('audit undo --client nightly --since 2h'),
      )({ environment: 'production', writes: [undone], left: [], unversioned: 0 }),
    'vendor-cloud audit undo --client nightly --since 2h --yes',
  ],
  [
    'asking/confirm-change',
    'variables unset',
    (asking) => confirmUnsetVariables(asking, unconfirmed('variables unset OLD'))(variables),
    'vendor-cloud variables unset OLD --yes',
  ],
  [
    'asking/ask-for-fields',
    'run action for a text',
    fill('String'),
    "vendor-cloud run action orders refund --set 'Amount=<String>'",
  ],
  ['asking/ask-for-fields', 'run action for yes or no', fill('Boolean'), "--set 'Amount=<Boolean>'"],
  ['asking/ask-for-fields', 'run action for a choice', fill('Enum', ['low', 'high']), "--set 'Amount=<low|high>'"],
  [
    'asking/ask-for-fields',
    'run action for several choices',
    fill(['Enum'], ['low', 'high']),
    "--set 'Amount=<low|high>'",
  ],
  [
    'asking/read-secret',
    'variables set',
    (asking) => readSecret(stdin, asking, { variable: 'KEY', environment: undefined }),
    'vendor-cloud variables set',
  ],
  [
    'asking/confirm-mcp',
    'mcp marks clear',
    (asking) => confirmClearedMark(asking, terminal)(mark),
    'Run the command in a terminal',
  ],
  [
    'asking/confirm-mcp',
    'mcp approve',
    (asking) => decideAsk(asking, terminal)(ask, mark),
    'Run the command in a terminal',
  ],
  [
    'asking/confirm-mcp',
    'approvals grant',
    (asking) => confirmGrant(asking, terminal)(requested),
    'open the page approvals of the console',
  ],
  [
    'asking/read-secret',
    'login --token-stdin',
    (asking) => readToken(stdin, asking),
    'vendor-cloud login --token-stdin < token.txt',
  ],
];

describe('the question', () => {
  it.each(
    questions.flatMap(([, what, ask]) => Object.entries(keys).map(([name, key]) => [what, name, key, ask] as const)),
  )('of %s ends as interrupted on %s', async (_what, _name, key, ask) => {
    const asking = person(key);
    await expect(ask(asking)).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(asking.seen()).not.toBe('');
  });

  it.each(questions)(
    'of %s (%s) names the next command where nobody can be asked',
    async (_module, _what, ask, next) => {
      await expect(ask(nobody)).rejects.toMatchObject({
        code: 'USAGE_INVALID',
        nextSteps: expect.arrayContaining([expect.stringContaining(next)]),
      });
    },
  );

  it('is asked in the modules of this table only', () => {
    const asking = readSources('src/cli').filter(({ text }) =>
      /\bprompts\.(text|secret|confirm|choose|chooseSeveral)\(/.test(text),
    );
    const modules = asking.map(({ path }) => path.replace('.ts', ''));
    expect(modules.sort()).toEqual([...new Set(questions.map(([module]) => module))].sort());
    const askers = readSources().filter(({ imports }) => imports.some((name) => name.startsWith('@inquirer/')));
    expect(askers.map(({ path }) => path)).toEqual(['cli/terminal/prompts.ts']);
  });
});

describe('Enter only', () => {
  it('says no to a change of what others use, and changes nothing', async () => {
    const isConfirmed = false;
    expect(await confirmSwap(person(enter), terminal, { isConfirmed, called: [] })(swap)).toBe(false);
    expect(await confirmPermissions(person(enter), terminal, { isConfirmed, called: [] })(rights)).toBe(false);
    const confirmation = { isConfirmed, called: [] };
    expect(await confirmRevokedToken(person(enter), confirmation)({ project: 'shop', token })).toBe(false);
    expect(await confirmRotatedToken(person(enter), confirmation)({ project: 'shop', token })).toBe(false);
    expect(await confirmRevokedClient(person(enter), confirmation)(client)).toBe(false);
    expect(await confirmUnsetVariables(person(enter), confirmation)(variables)).toBe(false);
  });

  it('is not the name of a project', async () => {
    const confirm = confirmReset(person(enter), { given: undefined, called: [] });
    expect(await confirm({ name: 'shop', databases: ['main'] })).toBe('');
  });
});

describe('a secret that is typed', () => {
  it('is not shown', async () => {
    const { prompts, seen } = person(`hunter2${enter}`);
    expect(await prompts.secret('Token:')).toBe('hunter2');
    expect(seen()).toContain('Token:');
    expect(seen()).not.toContain('hunter2');
  });

  it('is shown as dots inside the address of a database', async () => {
    const uri = 'postgres://app:hunter2@db/shop';
    const asking = person(`${uri}${enter}`);
    expect(await askForUri(asking, { directory: 'admin', hasEnvSecret: false })).toBe(uri);
    expect(asking.seen()).toContain('postgres://app:•••••••@db/shop');
    expect(asking.seen()).not.toContain('hunter2');
  });
});

describe('a field of a form', () => {
  const down = '\u001b[B';
  const field = { field: 'Size', type: 'String', isRequired: true, isReadOnly: false };
  const editor = (options: readonly unknown[], searchType: string | null = null) => ({
    parameters: { static: { options: [...options] as { label: string; value: unknown }[] }, searchType },
  });
  const answer = async (typed: string, asked: Partial<FormField>) => {
    const asking = person(typed);
    const given = await askForFields(asking, [])([formFieldSchema.parse({ ...field, ...asked })]);
    return { value: given.get('Size'), seen: stripVTControlCharacters(asking.seen()) };
  };

  it('shows the labels of its choices, and gives the value', async () => {
    const options = [{ label: 'Small', value: 's' }, 'm'];
    const { value, seen } = await answer(`${down}${enter}`, { widgetEdit: editor(options) });
    expect(value).toBe('m');
    expect(seen).toContain('Small');
    expect((await answer(enter, { widgetEdit: editor(options) })).value).toBe('s');
  });

  it('keeps the type of its choices', async () => {
    const widgetEdit = editor([{ label: 'Ten', value: 10 }]);
    expect((await answer(enter, { type: 'Number', widgetEdit })).value).toBe(10);
    expect((await answer(` ${enter}`, { type: ['Number'], widgetEdit })).value).toEqual([10]);
  });

  it('takes several choices, also with commas in them', async () => {
    const enums = ['a, b', 'c'];
    expect((await answer(` ${enter}`, { type: ['Enum'], enums })).value).toEqual(['a, b']);
    expect((await answer(enter, { type: ['Enum'], enums, value: ['c'] })).value).toEqual(['c']);
  });

  it('may be left out where it is not required', async () => {
    const { value, seen } = await answer(enter, { type: 'Enum', enums: ['low'], isRequired: false });
    expect([value, seen]).toEqual([undefined, expect.stringContaining('(none)')]);
  });

  it('is typed where its choices depend on what is typed', async () => {
    const { value } = await answer(`other${enter}`, { widgetEdit: editor(['s'], 'dynamic') });
    expect(value).toBe('other');
  });
});

it('bootstrap with the secret of an environment alone names the flag that is missing', async () => {
  await expect(askForUri(nobody, { directory: 'admin', hasEnvSecret: true })).rejects.toMatchObject({
    nextSteps: expect.arrayContaining([
      'Take the databases of the environment: vendor-cloud bootstrap admin --server-url https://platform.example.com',
    ]),
  });
});

it('a question breaks between words where the terminal is narrow', async () => {
  const input = new PassThrough();
  const output = Object.assign(new PassThrough(), { columns: 30 });
  let screen = '';
  output.on('data', (part: Buffer) => {
    if (screen === '') setImmediate(() => input.write(enter));
    screen += stripVTControlCharacters(part.toString('utf8'));
  });
  await createPrompts({ input, output }).text('Reason (what the customer said about the delivery):');
  expect(screen).toContain('? Reason (what the customer\n  said about the delivery):');
});
