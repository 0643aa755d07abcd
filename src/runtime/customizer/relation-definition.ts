export interface ManyToOneDefinition {
  readonly kind: 'ManyToOne';
  readonly foreignCollection: string;
  /** Column here. */
  readonly foreignKey: string;
  /** Column there; default: its primary key. */
  readonly foreignKeyTarget?: string | undefined;
}

export interface OriginKeyDefinition {
  readonly kind: 'OneToOne' | 'OneToMany';
  readonly foreignCollection: string;
  /** Column there. */
  readonly originKey: string;
  /** Column here; default: the primary key. */
  readonly originKeyTarget?: string | undefined;
}

export interface ManyToManyDefinition {
  readonly kind: 'ManyToMany';
  readonly foreignCollection: string;
  readonly throughCollection: string;
  /** Column of the through collection that names the record here. */
  readonly originKey: string;
  /** Column here; default: the primary key. */
  readonly originKeyTarget?: string | undefined;
  /** Column of the through collection that names the record there. */
  readonly foreignKey: string;
  /** Column there; default: its primary key. */
  readonly foreignKeyTarget?: string | undefined;
}

/** A relation as customization code declares it. */
export type RelationDefinition = ManyToOneDefinition | OriginKeyDefinition | ManyToManyDefinition;
