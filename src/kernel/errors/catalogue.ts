import { agentErrors } from './catalogue/agent.ts';
import type { CatalogueEntry } from './catalogue/catalogue-entry.ts';
import { commandErrors } from './catalogue/command.ts';
import { dataErrors } from './catalogue/data.ts';
import { fileErrors } from './catalogue/files.ts';
import { platformErrors } from './catalogue/platform.ts';
import { projectErrors } from './catalogue/project.ts';
import { publicApiErrors } from './catalogue/public-api.ts';
import { requestErrors } from './catalogue/requests.ts';
import { testingErrors } from './catalogue/testing.ts';

export type { CatalogueEntry, ErrorKind, Recovery } from './catalogue/catalogue-entry.ts';

/** Every error the product can show, by code. Codes are stable: a retired one is never used again. */
export const catalogue = {
  ...commandErrors,
  ...projectErrors,
  ...agentErrors,
  ...requestErrors,
  ...dataErrors,
  ...fileErrors,
  ...platformErrors,
  ...publicApiErrors,
  ...testingErrors,
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof catalogue;
