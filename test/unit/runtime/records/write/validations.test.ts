import { expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { createRecordService } from '#runtime/records/create-record-service';
import { callIn, everythingAllowed } from '../../../../helpers/call-context.ts';
import { temporaryDataSource } from '../../../../helpers/temporary-database.ts';

it('the length of bytes is held to a validation', async () => {
  const collector = createDeclarationCollector();
  collector.agent.customizeCollection('files', (on) => on.addFieldValidation('content', 'LongerThan', 2));
  const source = await temporaryDataSource('create table files (id integer primary key, content blob)');
  const service = createRecordService(compileModel([source], await collector.finish()), everythingAllowed);
  const create = (id: number, hex: string) => service.create('files', { id, content: hex }, callIn('UTC'));
  await expect(create(1, '0102')).rejects.toMatchObject({
    code: 'REQUEST_INVALID',
    message: 'The field "content" must be longer than 2 bytes.',
    details: { field: 'content' },
  });
  expect(await create(2, '010203')).toMatchObject({ id: 2 });
});
