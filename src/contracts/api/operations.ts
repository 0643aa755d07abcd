import { agentNoteOperations } from './agent-note-operations.ts';
import { agentOperations } from './agent-operations.ts';
import { apiTokenOperations } from './api-token-operations.ts';
import { consoleOperations } from './console-operations.ts';
import { deploymentOperations } from './deployment-operations.ts';
import { identityOperations } from './identity-operations.ts';
import type { Operation } from './operation.ts';
import { provisioningOperations } from './provisioning-operations.ts';
import { rightsOperations } from './rights-operations.ts';
import { scimOperations } from './scim-operations.ts';
import { secondFactorOperations } from './second-factor-operations.ts';

/** The API of the platform. Pages for browsers and the endpoints of OpenID Connect are described by themselves. */
export const operations: readonly Operation[] = [
  ...agentOperations,
  ...agentNoteOperations,
  ...apiTokenOperations,
  ...consoleOperations,
  ...deploymentOperations,
  ...identityOperations,
  ...provisioningOperations,
  ...rightsOperations,
  ...scimOperations,
  ...secondFactorOperations,
];
