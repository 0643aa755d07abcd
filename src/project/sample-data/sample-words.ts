/** First names, each with the form it takes in an e-mail address. */
export const firstNames: readonly [readonly [string, string], ...(readonly [string, string])[]] = [
  ['Amélie', 'amelie'],
  ['Björn', 'bjorn'],
  ['Chiara', 'chiara'],
  ['Dmitri', 'dmitri'],
  ['Ольга', 'olga'],
  ['Fatima', 'fatima'],
  ['Γιώργος', 'giorgos'],
  ['Hye-jin', 'hyejin'],
  ['İpek', 'ipek'],
  ['José', 'jose'],
  ['Kwame', 'kwame'],
  ['Łukasz', 'lukasz'],
  ['美咲', 'misaki'],
  ['Noor', 'noor'],
  ['Ørjan', 'orjan'],
  ['Priya', 'priya'],
  ['Quinn', 'quinn'],
  ['Rosa', 'rosa'],
  ['Štěpán', 'stepan'],
  ['Tāne', 'tane'],
  ['יעל', 'yael'],
  ['Veronika', 'veronika'],
  ['伟', 'wei'],
  ['Zoë', 'zoe'],
];

export const lastNames: readonly [readonly [string, string], ...(readonly [string, string])[]] = [
  ['Ångström', 'angstrom'],
  ['Bianchi', 'bianchi'],
  ['Çelik', 'celik'],
  ['D’Souza', 'dsouza'],
  ["O'Connor", 'oconnor'],
  ['Fernández', 'fernandez'],
  ['García Márquez', 'garcia'],
  ['Horvát', 'horvat'],
  ['Иванова', 'ivanova'],
  ['Jørgensen', 'jorgensen'],
  ['Kowalczyk', 'kowalczyk'],
  ['Lefèvre', 'lefevre'],
  ['Müller', 'muller'],
  ['Nguyễn', 'nguyen'],
  ['Okafor', 'okafor'],
  ['Παπαδόπουλος', 'papadopoulos'],
  ['佐藤', 'sato'],
  ['Straße', 'strasse'],
  ['Tremblay', 'tremblay'],
  ['van der Berg', 'vanderberg'],
];

export const cities: readonly [readonly [string, string], ...(readonly [string, string])[]] = [
  ['Ljubljana', 'SI'],
  ['Malmö', 'SE'],
  ['Łódź', 'PL'],
  ['Porto', 'PT'],
  ['Reykjavík', 'IS'],
  ['São Paulo', 'BR'],
  ['Tromsø', 'NO'],
  ['Valletta', 'MT'],
  ['京都', 'JP'],
  ['Zürich', 'CH'],
];

export const streets = [
  'Harbour Row',
  'Lindenallee',
  'Rue de l’Église',
  'Via Roma',
  'Calle Mayor',
  'Mlýnská',
  'Kirkegata',
] as const;

/** Top categories with those below them. */
export const categoryTree: Readonly<Record<string, readonly string[]>> = {
  Garden: ['Seeds', 'Tools', 'Watering', 'Furniture'],
  Kitchen: ['Knives', 'Pans', 'Storage', 'Coffee'],
  Outdoor: ['Tents', 'Sleeping bags', 'Lamps', 'Packs'],
  Office: ['Paper', 'Pens', 'Desks', 'Chairs'],
  Toys: ['Puzzles', 'Building blocks', 'Board games', 'Plush'],
};

export const adjectives = [
  'Sturdy',
  'Light',
  'Folding',
  'Classic',
  'Compact',
  'Handmade',
  'Recycled',
  'Everyday',
  'Grand',
  'Quiet',
] as const;
export const materials = ['Oak', 'Steel', 'Linen', 'Bamboo', 'Cork', 'Copper', 'Wool', 'Glass'] as const;
export const colours = ['red', 'green', 'blue', 'black', 'white', 'ochre'] as const;
export const tagNames = [
  'new',
  'sale',
  'gift idea',
  'eco',
  'bestseller',
  'last pieces',
  'fragile',
  'pre-order',
] as const;

export const reviewTitles = [
  'Just right',
  'Better than expected',
  'Broke after a week',
  'Good value',
  'Très bien',
  'Würde ich wieder kaufen',
  '👍',
] as const;
export const reviewBodies = [
  'Does what it says, nothing more, nothing less.',
  'Arrived a day early and well packed.',
  'The colour is a little different from the picture.',
  'Second one I bought. My sister wanted one too.',
  'I wrote to support and had an answer within the hour.',
  'Kvalita odpovídá ceně.',
] as const;

export const orderNotes = [
  'Leave it with the neighbour.',
  'Please gift-wrap 🎁',
  'Ring twice',
  '100% cotton only',
  'call_before delivery',
] as const;
