import type { Agent } from '../../../src/exports/index.ts';
import { createFileField } from '../../../src/exports/plugin-file-storage.ts';

export function keepFiles(agent: Agent): void {
  agent.customizeCollection('invoices', (invoices) =>
    invoices.use(createFileField, {
      columnName: 'document_key',
      fieldName: 'document',
      bucket: { name: 'invoices', region: 'eu-west-3' },
      allowedTypes: ['application/pdf'],
      deleteFiles: true,
    }),
  );
}
