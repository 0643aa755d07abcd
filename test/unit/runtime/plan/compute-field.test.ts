import { expect, it } from 'vitest';
import { createDeclarationRecorder } from '#runtime/customizer/declaration-recorder';
import { compileModel } from '#runtime/plan/compile-model';
import { createRecordService } from '#runtime/plan/create-record-service';
import { callIn, everythingAllowed } from '../../../helpers/call-context.ts';
import { temporaryDataSource } from '../../../helpers/temporary-database.ts';

it('a number without bounds is not taken for none', async () => {
  const recorder = createDeclarationRecorder();
  recorder.agent.customizeCollection('readings', (on) =>
    on.addField('text', {
      columnType: 'String',
      dependencies: ['value'],
      getValues: (records) => records.map(({ value }) => String(value)),
    }),
  );
  const source = await temporaryDataSource(`
    create table readings (id integer primary key, value double);
    insert into readings values (1, null), (2, 9e999), (3, -9e999);
  `);
  const service = createRecordService(compileModel([source], await recorder.finish()), everythingAllowed);
  const sort = [{ field: 'id', ascending: true }];
  const records = await service.list({ collection: 'readings', projection: ['text'], sort }, callIn('UTC'));
  expect(records.map(({ text }) => text)).toEqual(['null', 'Infinity', '-Infinity']);
});
