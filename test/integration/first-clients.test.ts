import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { activity, startAuditApi } from '../helpers/audit-api.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

/**
 * What clients were generated from before this platform had a description of its own. It is written by hand, apart from the
 * contracts of the platform: records and echoed parameters are closed, so that one member more breaks a strict client.
 */
const text = { type: 'string' } as const;
const time = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' } as const;

function closed(required: Readonly<Record<string, object>>, optional: Readonly<Record<string, object>> = {}) {
  const properties = { ...required, ...optional };
  return { type: 'object', properties, required: Object.keys(required), additionalProperties: false } as const;
}

const named = (object: string) => closed({ object: { const: object }, name: text });
const user = closed({ object: { const: 'user' }, id: { type: 'integer' }, email: text, username: text });

const actions = (
  'create read update delete action search filter listRelatedData describeCollection index select dashboard workspace export ' +
  'createNote openNote deleteNote createMessage createApproval approveApproval rejectApproval ignoreApprovalWarning ' +
  'markApprovalAsFailed startProcessingInboxTask completeInboxTask cancelInboxTask cancelInboxTaskNotTreated ' +
  'autoCancelInboxTask assignUserToInboxTask unassignUserFromInboxTask sendApprovalBackInReview triggerWorkflow abortWorkflow ' +
  'completeWorkflow selectWorkflowOption completeWorkflowStep reviseWorkflowStep resumeWorkflow'
).split(' ');

const activityLog = closed(
  {
    object: { const: 'activityLog' },
    id: text,
    type: { enum: ['read', 'write'] },
    action: { enum: actions },
    createdAt: time,
    user,
    environment: named('environment'),
    team: named('team'),
  },
  {
    label: text,
    recordIds: { type: 'array', items: text },
    collection: named('collection'),
    inbox: named('inbox'),
    workflow: closed({ object: { const: 'workflow' }, name: text, runId: text }, { stepName: text, optionName: text }),
  },
);

const onlyName = closed({ name: text });
const value = {
  oneOf: [
    closed({
      user,
      permissionLevel: { enum: ['admin', 'editor', 'user', 'developer', 'manager'] },
      tags: { type: 'array', items: closed({ key: text, value: text }) },
      role: named('role'),
      teams: { type: 'array', items: named('team') },
    }),
    onlyName,
    closed({ name: text, codeCustomizationVersion: { type: 'number' } }),
  ],
};

const adminLog = closed(
  {
    object: { const: 'adminLog' },
    id: text,
    type: { enum: ['add', 'remove', 'update', 'initial'] },
    resource: { enum: ['user-project', 'role', 'team', 'environment'] },
    initiator: { enum: ['administrator', 'identityProvider', 'platform'] },
    createdAt: time,
  },
  { user, newValue: value, previousValue: value },
);

const note = closed(
  {
    object: { const: 'note' },
    id: { type: 'integer' },
    title: text,
    recordId: text,
    createdAt: time,
    updatedAt: time,
    messages: {
      type: 'array',
      items: closed({ object: { const: 'note-message' }, content: text, createdAt: time, user }),
    },
    user,
    environment: named('environment'),
    team: named('team'),
  },
  { archivedAt: time, collection: named('collection') },
);

const ranges = (...names: readonly string[]) =>
  Object.fromEntries(
    names.flatMap((name) => ['eq', 'lt', 'lte', 'gt', 'gte'].map((bound) => [`${name}.${bound}`, time])),
  );
const who = { userEmail: text, userId: { type: 'integer', minimum: 1 } };
const where = { teamName: text, collectionName: text, recordId: text };
const limit = { limit: { type: 'integer', minimum: 1, maximum: 100 } };
const project = { projectName: { const: 'shop' } };
const place = { ...project, environmentName: { const: 'development' } };

/** A page may have more members at its top than these. */
function page(item: object, parameters: object) {
  const properties = { hasMore: { type: 'boolean' }, data: { type: 'array', items: item }, parameters };
  return { type: 'object', properties, required: Object.keys(properties) };
}

const pages = {
  '/environment/development/activity-logs': page(
    activityLog,
    closed(
      { ...place, ...limit },
      {
        ...who,
        ...where,
        type: { enum: ['read', 'write'] },
        action: { enum: actions },
        ...ranges('createdAt'),
      },
    ),
  ),
  '/admin-logs': page(
    adminLog,
    closed(project, { ...limit, ...who, type: text, initiator: text, resource: text, ...ranges('createdAt') }),
  ),
  '/environment/development/notes': page(
    note,
    closed({ ...place, ...limit }, { ...who, ...where, ...ranges('createdAt', 'updatedAt', 'archivedAt') }),
  ),
};

const queries = [
  '',
  '?limit=1',
  '?limit=100&userEmail=ada@example.test&createdAt.gte=2020-01-01T00:00',
  '?userId=1&createdAt.lt=2100-01-01T00:00:00.000Z',
];

describe('a strict client of the first description', () => {
  it.each(Object.entries(pages))('accepts every default answer of %s', async (list, schema) => {
    const store = `sqlite:${path.join(await temporaryFolder(), 'store.sqlite')}`;
    const { report, get, sandbox, token } = await startAuditApi({ store });
    await report([
      activity({ label: 'with a label' }),
      activity({ type: 'read', action: 'index', recordIds: [], recordCount: null }),
    ]);
    const made = await fetch(`${sandbox.url}/v1/project/shop/environment/development/notes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ collectionName: 'orders', recordId: '7', title: 'Call back', content: 'On Monday' }),
    });
    expect(made.status).toBe(201);
    const accepts = new Ajv2020({ allErrors: true }).compile(schema);
    let rows = 0;
    for (const query of queries) {
      const answer = await get(`${list}${query}`);
      expect(answer.status, query).toBe(200);
      const body = (await answer.json()) as { readonly data: readonly unknown[] };
      expect(accepts(body) ? [] : accepts.errors, query).toEqual([]);
      rows += body.data.length;
    }
    expect(rows).toBeGreaterThan(0);
  });
});
