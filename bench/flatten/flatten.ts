import type { Bench } from '../bench-report.ts';
import { measureShop } from '../customized/measure-shop.ts';

const orders = 1_000_000;
const ordersOfQuick = 100_000;
const scenarios = ['listJson', 'filterJson', 'groupJson'];

/** Lists, filters and groups on paths into the JSON documents of a million orders. */
export const benchFlatten: Bench = async ({ isQuick }) => ({
  name: 'flatten',
  figures: await measureShop({
    orders: isQuick ? ordersOfQuick : orders,
    isMeasured: (scenario) => scenarios.includes(scenario),
    isQuick,
  }),
});
