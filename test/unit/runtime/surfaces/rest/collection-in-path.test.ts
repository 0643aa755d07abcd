import { expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { PathUnknown, type RouteCall } from '#runtime/surfaces/rest/call/route';
import { tellNearestCollection } from '#runtime/surfaces/rest/collection-in-path';
import { callIn } from '../../../../helpers/call-context.ts';
import { recordingAuthoriser } from '../../../../helpers/recording-authoriser.ts';
import { temporaryDataSource } from '../../../../helpers/temporary-database.ts';

async function callBy(denied?: string) {
  const source = await temporaryDataSource('create table orders (id integer primary key)');
  const model = compileModel([source], await createDeclarationCollector().finish());
  const { authoriser, asked } = recordingAuthoriser(denied);
  return { call: { state: { model, authoriser }, context: () => callIn('UTC') } as unknown as RouteCall, asked };
}

it('a misspelt collection is reported to those who may see the nearest one, and to nobody else', async () => {
  const misspelt = new PathUnknown('ordesr');
  const allowed = await callBy();
  await expect(tellNearestCollection(misspelt, allowed.call)).resolves.toMatchObject({
    code: 'REQUEST_NOT_FOUND',
    message: 'There is no collection "ordesr". Did you mean "orders"?',
  });
  expect(allowed.asked).toEqual(['browse orders']);
  const { call } = await callBy('browse');
  expect(await tellNearestCollection(misspelt, call)).toBe(misspelt);
});

it('a path leads nowhere when no collection is near, or when something else is missing', async () => {
  const { call, asked } = await callBy();
  for (const error of [new PathUnknown('zzzzzzzz'), new PathUnknown()]) {
    expect(await tellNearestCollection(error, call)).toBe(error);
  }
  expect(asked).toEqual([]);
});
