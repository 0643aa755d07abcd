-- The sample shop. Dates are ISO 8601 text, times are UTC, amounts are decimals.

create table categories (
  id integer primary key,
  name text not null unique,
  parent_id integer references categories (id)
);

create table products (
  id integer primary key,
  sku text not null unique,
  name text not null,
  description text,
  category_id integer not null references categories (id),
  price decimal(12, 2) not null check (price >= 0),
  weight_kg real,
  is_active boolean not null default true,
  attributes json,
  created_at datetime not null
);
create index products_by_category on products (category_id);

create table tags (
  id integer primary key,
  name text not null unique
);

create table product_tags (
  product_id integer not null references products (id),
  tag_id integer not null references tags (id),
  primary key (product_id, tag_id)
);

create table customers (
  id integer primary key,
  email text not null unique,
  first_name text not null,
  last_name text not null,
  full_name text generated always as (first_name || ' ' || last_name) stored,
  phone text,
  birth_date date,
  tier text not null default 'bronze' check (tier in ('bronze', 'silver', 'gold')),
  accepts_newsletter boolean not null default false,
  preferences json,
  created_at datetime not null
);

create table addresses (
  id integer primary key,
  customer_id integer not null references customers (id),
  kind text not null check (kind in ('billing', 'shipping')),
  street text not null,
  city text not null,
  postal_code text,
  country varchar(2) not null
);
create index addresses_by_customer on addresses (customer_id);

create table carts (
  id integer primary key,
  customer_id integer not null unique references customers (id),
  token uuid not null unique,
  content json not null,
  updated_at datetime not null
);

create table coupons (
  code text primary key not null,
  percent integer not null check (percent between 1 and 100),
  valid_from date not null,
  valid_until date
);

create table orders (
  id integer primary key,
  reference text not null unique,
  customer_id integer not null references customers (id),
  shipping_address_id integer references addresses (id),
  coupon_code text references coupons (code),
  status text not null default 'pending' check (status in ('pending', 'paid', 'shipped', 'delivered', 'cancelled')),
  total decimal(12, 2) not null,
  currency varchar(3) not null default 'EUR',
  note text,
  ordered_at datetime not null,
  shipped_at datetime
);
create index orders_by_customer on orders (customer_id);
create index orders_by_time on orders (ordered_at);

create table order_items (
  order_id integer not null references orders (id),
  product_id integer not null references products (id),
  quantity integer not null check (quantity > 0),
  unit_price decimal(12, 2) not null,
  primary key (order_id, product_id)
);
create index order_items_by_product on order_items (product_id);

create table payments (
  id integer primary key,
  order_id integer not null references orders (id),
  method text not null check (method in ('card', 'transfer', 'wallet')),
  amount decimal(12, 2) not null,
  fee decimal(12, 4),
  external_id text unique,
  paid_at datetime not null
);
create index payments_by_order on payments (order_id);

create table reviews (
  id uuid primary key not null,
  product_id integer not null references products (id),
  customer_id integer not null references customers (id),
  rating integer not null check (rating between 1 and 5),
  title text,
  body text,
  is_verified boolean not null default false,
  published_on date not null
);
create index reviews_by_product on reviews (product_id);
create index reviews_by_customer on reviews (customer_id);

-- Without a key on purpose: such a table can be read but not written.
create table audit_events (
  occurred_at datetime not null,
  actor text not null,
  action text not null,
  subject text,
  payload json
);
create index audit_events_by_time on audit_events (occurred_at);

create view customer_revenue as
  select
    c.id as customer_id,
    c.full_name,
    c.tier,
    count(o.id) as order_count,
    total(o.total) as revenue,
    max(o.ordered_at) as last_order_at
  from customers c
  left join orders o on o.customer_id = c.id and o.status <> 'cancelled'
  group by c.id;
