// AdminJS on the orders of the sample shop, as its documentation starts it. Arguments: the database.

import AdminJSExpress from '@adminjs/express';
import * as typeorm from '@adminjs/typeorm';
import AdminJS from 'adminjs';
import express from 'express';
import { BaseEntity, DataSource, EntitySchema } from 'typeorm';

AdminJS.registerAdapter({ Resource: typeorm.Resource, Database: typeorm.Database });

class Order extends BaseEntity {}

const text = { type: 'text' };
const entity = new EntitySchema({
  target: Order,
  name: 'Order',
  tableName: 'orders',
  columns: {
    id: { type: 'integer', primary: true, generated: true },
    reference: text,
    customer_id: { type: 'integer' },
    shipping_address_id: { type: 'integer', nullable: true },
    coupon_code: { ...text, nullable: true },
    status: text,
    total: text,
    currency: text,
    note: { ...text, nullable: true },
    ordered_at: text,
  },
});
const source = new DataSource({ type: 'better-sqlite3', database: process.argv[2], entities: [entity] });
await source.initialize();
Order.useDataSource(source);
const listProperties = Object.keys(entity.options.columns);
const admin = new AdminJS({ resources: [{ resource: Order, options: { listProperties } }], rootPath: '/admin' });
await admin.initialize();
const app = express();
app.use(admin.options.rootPath, AdminJSExpress.buildRouter(admin));
const server = app.listen(0, '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
