import type { Agent } from '../../../src/exports/index.ts';
import { createFileField, type FileBucketOptions } from '../../../src/exports/plugin-file-storage.ts';

const photos: FileBucketOptions = {
  name: 'photos',
  endpoint: 'https://files.example.com',
  forcePathStyle: true,
  publicUrl: 'https://photos.example.com',
};

export function keepPhotos(agent: Agent): void {
  agent.customizeCollection('customers', (customers) =>
    customers.use(createFileField, {
      columnName: 'photo_key',
      bucket: photos,
      allowedTypes: ['image/png', 'image/jpeg'],
      maxSizeBytes: 2_000_000,
      contentDisposition: 'inline',
      storeAt: (_recordId, fileName, { caller }) => `${caller.team}/${Date.now()}-${fileName}`,
    }),
  );
}
