import { strict as assert } from 'node:assert';
import { largeCollections } from './large-source.ts';
import type { ServedProject } from './serve-project.ts';

interface Listed {
  readonly data: readonly { readonly id: string; readonly attributes: Readonly<Record<string, unknown>> }[];
}

/** By segment: the records that belong to it. The first record of three is open and the only one; all were made just now. */
const segments: Readonly<Record<string, number>> = { Open: 1, Recent: 0, 'Like the first': 3 };

/** Every one of the hundred collections has its computed and imported fields, its segments and its action. */
export async function checkLarge({ send }: ServedProject): Promise<void> {
  for (const collection of largeCollections) {
    const fields = 'id,label,firstName,secondState';
    const { data } = (await send('GET', `/${collection}?fields[${collection}]=${fields}&sort=id`)) as Listed;
    assert.deepEqual(
      data.map(({ attributes }) => attributes),
      [1, 2, 3].map((id) => ({
        id,
        label: `record ${id} record ${id} null ${id * 10}.00`,
        firstName: `record ${id}`,
        secondState: ['open', 'paid', 'sent'][id - 1],
      })),
    );
    for (const [segment, count] of Object.entries(segments)) {
      const found = (await send('GET', `/${collection}?segment=${encodeURIComponent(segment)}`)) as Listed;
      assert.equal(found.data.length, count, `${collection}, segment "${segment}"`);
    }
    const body = { data: { attributes: { ids: ['1', '2'], values: {} } } };
    const answer = (await send('POST', `/_actions/${collection}/0/read`, body)) as { readonly success?: string };
    assert.equal(answer.success, 'open,paid');
  }
}
