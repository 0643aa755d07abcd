import { expect, it } from 'vitest';
import { systemClock } from '#node/system/system-clock';
import { createAgentState } from '#runtime/agent/assemble/create-agent-state';
import { compileModel } from '#runtime/compile/compile-model';
import { QueryRecorder } from '#runtime/insights/query-recorder';
import { allowEverything } from '#runtime/permissions/authoriser';
import type { FieldRule, FieldRules } from '#runtime/permissions/field-rules';
import type { SignedApprovals } from '#runtime/permissions/signed-approvals';
import { stateFor } from '#runtime/surfaces/request/agent-state';
import { temporaryDataSource } from '../../../../helpers/temporary-database.ts';

const tables = `
  create table staff (id integer primary key, name text, salary integer, team_id integer references teams);
  create table teams (id integer primary key, name text);
`;
const hidden: FieldRule = { read: false, filter: false, write: false };

function rulesFor(fields: Readonly<Record<string, FieldRule>>): FieldRules {
  const ofRole = { fields: new Map(Object.entries(fields)), reads: true, edits: true, adds: true };
  return { key: JSON.stringify(fields), collections: new Map([['staff', [ofRole]]]) };
}

/** A state, somebody with these rules, and what was logged. */
async function serve(rules: FieldRules | undefined) {
  const warnings: string[] = [];
  const state = createAgentState(compileModel([await temporaryDataSource(tables)], []), {
    authoriser: { ...allowEverything, fieldRulesOf: () => rules, forRules: () => allowEverything },
    programAuthoriser: allowEverything,
    approvals: {} as SignedApprovals,
    prefix: '/service',
    logger: { log: (_level, message) => void warnings.push(message) },
    aiOf: () => undefined,
    recorder: new QueryRecorder(systemClock),
  });
  return { state, warnings };
}

it('answers people without restrictions with the very state that is served', async () => {
  const { state } = await serve(undefined);
  expect(stateFor(state, { id: 7 })).toBe(state);
});

it('makes one state for equal rules, and keeps collections that they do not concern', async () => {
  const { state } = await serve(rulesFor({ salary: hidden }));
  const own = await stateFor(state, { id: 7 });
  expect(own).not.toBe(state);
  expect(await stateFor(state, { id: 8 })).toBe(own);
  expect(state.under(rulesFor({ salary: hidden }))).toBe(own);
  expect([...(own.model.collections.get('staff')?.fields.keys() ?? [])]).toEqual(['id', 'name', 'team_id', 'team']);
  expect(own.model.collections.get('teams')).toBe(state.model.collections.get('teams'));
  expect(own.model.original).toBe(state.model.original);
});

it('logs once what rules name and the model does not have', async () => {
  const { state, warnings } = await serve(
    rulesFor({ salery: hidden, id: hidden, team: hidden, name: { ...hidden, read: 'unheard' }, '*': hidden }),
  );
  await stateFor(state, { id: 7 });
  await stateFor(state, { id: 7 });
  expect(warnings).toEqual([
    'The rights to the field "salery" of "staff" close nothing: there is no such field.',
    'The rights to the field "id" of "staff" close nothing: it is part of the key.',
    'The rights to the field "team" of "staff" close nothing: it is a relation. Close its key.',
    'The rights to the field "name" of "staff" hide it: there is no mask "unheard".',
  ]);
});
