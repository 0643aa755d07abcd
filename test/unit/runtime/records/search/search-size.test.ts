import { describe, expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { createRecordService } from '#runtime/records/create-record-service';
import { callIn, everythingAllowed } from '../../../../helpers/call-context.ts';
import { temporaryDataSource } from '../../../../helpers/temporary-database.ts';

const columns = Array.from({ length: 1500 }, (_, index) => `c${index}`);
const script = `
  create table wide (id integer primary key, ${columns.map((name) => `${name} text`).join(', ')});
  insert into wide (id, c0, c1499) values (1, 'alpha beta', 'omega'), (2, 'beta', 'psi');
`;

const context = callIn('UTC');

async function count(search: string): Promise<number> {
  const model = compileModel([await temporaryDataSource(script)], await createDeclarationCollector().finish());
  return createRecordService(model, everythingAllowed).count({ collection: 'wide', search }, context);
}

describe('a search in very many columns', () => {
  it.each([
    ['omega', 1],
    ['-omega', 1],
    ['beta -psi', 1],
    // Too many conditions for one statement: the text is meant as it is.
    ['alpha AND beta AND omega', 0],
    ['alpha beta', 1],
  ])('finds %s in %i', async (search, expected) => {
    expect(await count(search)).toBe(expected);
  });
});
