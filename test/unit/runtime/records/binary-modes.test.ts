import { expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import type { BinaryMode } from '#runtime/customizer/declaration';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { createRecordService } from '#runtime/records/create-record-service';
import { callIn, everythingAllowed } from '../../../helpers/call-context.ts';
import { temporaryDataSource } from '../../../helpers/temporary-database.ts';

const script = `
  create table files (id blob primary key, content blob);
  insert into files values (x'0a0b', x'ff00');
`;

/** The one file as clients see it, with the modes of its fields. */
async function fileWith(modes: Readonly<Record<string, BinaryMode>>) {
  const collector = createDeclarationCollector();
  collector.agent.customizeCollection('files', (files) => {
    for (const [name, mode] of Object.entries(modes)) files.replaceFieldBinaryMode(name, mode);
    files.renameField('content', 'picture');
  });
  const model = compileModel([await temporaryDataSource(script)], await collector.finish());
  const [file] = await createRecordService(model, everythingAllowed).list({ collection: 'files' }, callIn('UTC'));
  return file;
}

const asUri = (base64: string) => `data:application/octet-stream;base64,${base64}`;

it('bytes travel as a data URI, and in hexadecimal where they are a key', async () => {
  expect(await fileWith({})).toEqual({ id: '0a0b', picture: asUri('/wA=') });
});

it('bytes travel as the customization says, under whatever name', async () => {
  expect(await fileWith({ content: 'hex', id: 'datauri' })).toEqual({ id: asUri('Cgs='), picture: 'ff00' });
});
