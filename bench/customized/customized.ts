import type { Bench } from '../bench-report.ts';
import { orderCount } from '../query/tables.ts';
import { measureShop } from './measure-shop.ts';

/** Lists, filters and groups through every kind of customized field. */
export const benchCustomized: Bench = async ({ isQuick }) => ({
  name: 'customized',
  figures: await measureShop({ orders: orderCount, isMeasured: () => true, isQuick }),
});
