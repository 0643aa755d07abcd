import {
  type CreateDeployment,
  type Deployment,
  type DeploymentList,
  type DeploymentLog,
  deploymentListSchema,
  deploymentLogSchema,
  deploymentSchema,
  type HostList,
  hostListSchema,
  type LogPage,
  logPageSchema,
} from '#contracts/deployments';
import { knownSchemaSchema, type SchemaDocument } from '#contracts/schema-document';
import { type ChangeVariables, type VariableList, variableListSchema } from '#contracts/variables';
import {
  type CreateVersion,
  maxBundleBytes,
  missingBundlesSchema,
  type Version,
  type VersionChanges,
  type VersionList,
  versionChangesSchema,
  versionListSchema,
  versionSchema,
} from '#contracts/versions';
import { cloudError } from '#kernel/errors/cloud-error';
import { type createPlatformTransport, orAbsent } from './platform-transport.ts';

/** Which lines of the log. */
interface LogQuery {
  readonly limit?: number;
  readonly before?: number | undefined;
  readonly level?: string | undefined;
  readonly host?: string | undefined;
  readonly [name: string]: string | number | undefined;
}

/** Versions, deployments, and what their hosts serve and say. */
export interface DeploymentClient {
  /** Store the bytes of a bundle under their SHA-256; `isNew` is false when they were there already. */
  uploadBundle(digest: string, bytes: Uint8Array): Promise<{ readonly isNew: boolean }>;
  /** Those of `digests` whose bytes the platform does not have. */
  missingBundles(digests: readonly string[]): Promise<readonly string[]>;
  /** Publish uploaded bundles. The same idempotency key gives the same version. */
  createVersion(input: CreateVersion): Promise<Version>;
  /** Newest first; `before` is the `nextBefore` of the page before. */
  listVersions(page?: { readonly limit?: number; readonly before?: number | undefined }): Promise<VersionList>;
  /** What changes where a version serves in place of another one; `undefined` where one is missing, or the platform is too old. */
  versionChanges(version: number, replacing: number): Promise<VersionChanges | undefined>;
  /** Rejects with `REQUEST_CONFLICT` when another deployment than the base is live. */
  createDeployment(input: CreateDeployment): Promise<Deployment>;
  /** Newest first; `before` is the `nextBefore` of the page before. */
  listDeployments(page?: { readonly limit?: number; readonly before?: number | undefined }): Promise<DeploymentList>;
  deployment(number: number): Promise<Deployment>;
  /** The lines behind `after`; the platform waits for one for `waitMs`. */
  deploymentLog(number: number, page: { readonly after: number; readonly waitMs: number }): Promise<DeploymentLog>;
  hosts(): Promise<HostList>;
  /** What hosts and customization code said, newest first. */
  logs(page: LogQuery): Promise<LogPage>;
  /** What the agent of the environment publishes; `null` before one has told. */
  schema(): Promise<SchemaDocument | null>;
  /** The names only, of the newest revision by default. */
  variables(revision?: number): Promise<VariableList>;
  changeVariables(change: ChangeVariables): Promise<VariableList>;
}

export function createDeploymentClient(transport: ReturnType<typeof createPlatformTransport>): DeploymentClient {
  const get = { method: 'GET', credential: 'userToken', isRepeatable: true } as const;
  return {
    uploadBundle: async (digest: string, bytes: Uint8Array) => {
      assertBundleFits(bytes);
      const { status } = await transport.send({
        method: 'PUT',
        path: `api/bundles/${digest}`,
        credential: 'userToken',
        isRepeatable: true,
        bytes,
        deadlineMs: 60_000,
      });
      return { isNew: status === 201 };
    },
    missingBundles: async (digests: readonly string[]) => {
      const answer = await transport.fetchJson(
        {
          method: 'POST',
          path: 'api/bundles/missing',
          credential: 'userToken',
          isRepeatable: true,
          json: { digests },
        },
        missingBundlesSchema,
      );
      return answer.digests;
    },
    createVersion: (input: CreateVersion) =>
      transport.fetchJson(
        { method: 'POST', path: 'api/versions', credential: 'userToken', isRepeatable: true, json: input },
        versionSchema,
      ),
    listVersions: ({ limit = 20, before }: { readonly limit?: number; readonly before?: number | undefined } = {}) =>
      transport.fetchJson(
        { ...get, path: `api/versions?limit=${limit}${before === undefined ? '' : `&before=${before}`}` },
        versionListSchema,
      ),
    versionChanges: (version: number, replacing: number) =>
      orAbsent(
        transport.fetchJson(
          { ...get, path: `api/versions/${version}/changes${queryOf({ replacing })}` },
          versionChangesSchema,
        ),
      ),
    createDeployment: (input: CreateDeployment) =>
      transport.fetchJson(
        { method: 'POST', path: 'api/deployments', credential: 'userToken', isRepeatable: true, json: input },
        deploymentSchema,
      ),
    listDeployments: (page: { readonly limit?: number; readonly before?: number | undefined } = {}) =>
      transport.fetchJson({ ...get, path: `api/deployments${queryOf(page)}` }, deploymentListSchema),
    deployment: (number: number) =>
      transport.fetchJson({ ...get, path: `api/deployments/${number}` }, deploymentSchema),
    deploymentLog: (number: number, page: { readonly after: number; readonly waitMs: number }) =>
      transport.fetchJson(
        { ...get, path: `api/deployments/${number}/log${queryOf(page)}`, deadlineMs: page.waitMs + 10_000 },
        deploymentLogSchema,
      ),
    hosts: () => transport.fetchJson({ ...get, path: 'api/hosts' }, hostListSchema),
    logs: (page: LogQuery) => transport.fetchJson({ ...get, path: `api/logs${queryOf(page)}` }, logPageSchema),
    schema: async () => (await transport.fetchJson({ ...get, path: 'api/schema' }, knownSchemaSchema)).schema,
    variables: (revision?: number) =>
      transport.fetchJson({ ...get, path: `api/variables${queryOf({ revision })}` }, variableListSchema),
    changeVariables: (change: ChangeVariables) =>
      transport.fetchJson(
        { method: 'PATCH', path: 'api/variables', credential: 'userToken', isRepeatable: false, json: change },
        variableListSchema,
      ),
  };
}

function queryOf(page: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(page)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query}`;
}

/** Checked before a byte is sent: a server that refuses halfway closes the connection, and its reason may be lost with it. */
function assertBundleFits(bytes: Uint8Array): void {
  if (bytes.byteLength <= maxBundleBytes) return;
  const megabytes = (size: number) => (size / 1024 / 1024).toFixed(1);
  throw cloudError(
    'BUNDLE_TOO_LARGE',
    `The bundle has ${megabytes(bytes.byteLength)} MB and the platform takes ${megabytes(maxBundleBytes)} MB.`,
    'Remove large dependencies or data files from the bundle.',
  );
}
