import { expect, it, onTestFinished } from 'vitest';
import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import { useMysqlFamilyTables } from '../data-source/open-mysql-family.ts';
import { utc } from '../data-source/opened.ts';
import { describeLostUpdates } from '../permissions/lost-update-suite.ts';
import { shop, tablesOf } from '../permissions/shop-data.ts';

describeOnMysqlFamily('Writes that say what they have seen', (member) => {
  const open = useMysqlFamilyTables(member);
  describeLostUpdates(member.name, open, { hasDocuments: true });

  it('a locked read waits for who writes the row, and sees what they wrote', async () => {
    const source = await open(tablesOf({ ...shop, lines: [] }));
    onTestFinished(() => source.close());
    const first = { field: 'id', operator: 'Equal', value: 1 } as const;
    const blocked = "select count(*) as count from information_schema.innodb_trx where trx_state = 'LOCK WAIT'";
    const waiting = async () => Number((await source.nativeQuery?.(blocked, {}, utc))?.[0]?.['count']);
    const late = await source.transaction(async (store) => {
      await store.update('orders', first, { status: 'seen late' }, utc);
      const reading = source.transaction(
        async (inside) => inside.listLocked?.('orders', ['id', 'status'], first, utc),
        utc,
      );
      // The server looks again only when nobody has asked for a tenth of a second.
      await expect.poll(waiting, { interval: 200 }).toBe(1);
      return { reading };
    }, utc);
    expect(await late.reading).toEqual([{ id: 1, status: 'seen late' }]);
  });
});
