-- The tables of shop.sql on engines of another family. The words in capitals stand for types, which every engine calls otherwise.
create table customers(id KEY, email TEXT not null unique, first_name TEXT not null, last_name TEXT not null, birth_date date, is_vip boolean not null, country TEXT, balance numeric(12,2) not null, preferences JSON, created_at INSTANT not null);
create table addresses(id KEY, customer_id int not null, street TEXT, city TEXT, zip TEXT, is_default boolean, foreign key (customer_id) references customers(id));
create table products(id KEY, sku TEXT not null unique, name TEXT not null, description TEXT, price numeric(10,2) not null, stock int not null, tags JSON, created_at INSTANT);
create table orders(id KEY, customer_id int not null, status STATUS not null, total numeric(12,2) not null, placed_at INSTANT, shipping_address_id int, notes TEXT, foreign key (customer_id) references customers(id), foreign key (shipping_address_id) references addresses(id));
create table order_items(order_id int not null, product_id int not null, quantity int not null, unit_price numeric(10,2) not null, primary key (order_id, product_id), foreign key (order_id) references orders(id), foreign key (product_id) references products(id));
create table reviews(id UUID not null primary key, product_id int not null, customer_id int not null, rating int not null, body TEXT, created_at INSTANT, foreign key (product_id) references products(id), foreign key (customer_id) references customers(id));
create index orders_customer on orders(customer_id);
create index orders_placed on orders(placed_at);
create index items_product on order_items(product_id);
create index reviews_product on reviews(product_id);
create index addresses_customer on addresses(customer_id);
create index reviews_customer on reviews(customer_id);
create index orders_address on orders(shipping_address_id);
