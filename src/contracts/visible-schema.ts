import type { DashboardChart } from './dashboards.ts';
import type { SchemaAction, SchemaField, SchemaFieldType } from './schema-document.ts';

/**
 * What a person may see of the model of an agent. `GET /_internal/schema` answers the names, `GET /_internal/schema/<collection>`
 * one collection whole. Both follow the rights of the caller: what somebody may not know is not in it.
 */
export interface VisibleSchema {
  /** Another one after every change of the model or of the caller's rights. Every answer of the agent carries it in the header `service-schema-revision`. */
  readonly revision: string;
  /** Those that the caller may browse, by name. */
  readonly collections: readonly VisibleCollectionName[];
  /** Of these, the one that the most relations lead from, for clients that have to begin somewhere; `null` where there is none. */
  readonly firstCollection: string | null;
  /** The charts of the agent that belong to no collection. */
  readonly charts: readonly VisibleChart[];
  /** Those of `dashboards/*.json` that have a chart for the caller, by name. */
  readonly dashboards: readonly VisibleDashboard[];
  /** Origins that the result `webhook` of an action may have a client call. Other calls are shown, and not made. */
  readonly webhookOrigins: readonly string[];
  /** The agent lets everybody do everything: it is developed, or its environment has no rights yet. */
  readonly isUnrestricted?: true;
}

export interface VisibleCollectionName {
  readonly name: string;
  readonly rights: CollectionRights;
}

export interface CollectionRights {
  readonly browse: boolean;
  readonly read: boolean;
  readonly edit: boolean;
  readonly add: boolean;
  readonly delete: boolean;
  readonly export: boolean;
}

export interface VisibleCollection extends VisibleCollectionName {
  readonly revision: string;
  readonly primaryKey: readonly string[];
  /** The field that names a record for people, in pickers and headings. `setTitle` says which; a guess by name without it. */
  readonly title: string;
  readonly isReadOnly: boolean;
  readonly isSearchable: boolean;
  readonly isCountable: boolean;
  /** A scope restricts which records the caller sees. What it asks for is not told. */
  readonly isScoped: boolean;
  /** Deleted records are kept, and can be restored. */
  readonly hasSoftDeletes: boolean;
  readonly fields: readonly VisibleField[];
  /** Relations to collections that the caller may read. */
  readonly relations: readonly VisibleRelation[];
  readonly segments: readonly string[];
  /** The actions that the caller may trigger, as the schema document has them. */
  readonly actions: readonly VisibleAction[];
  /** The charts of a record. */
  readonly charts: readonly VisibleChart[];
}

export interface VisibleField {
  readonly name: string;
  /** `String`, `Number`, `Dateonly`, `Json`, `["String"]` for a list, and so on. */
  readonly type: SchemaFieldType;
  readonly isPrimaryKey: boolean;
  readonly isReadOnly: boolean;
  /** The only way in which it may be written: in a change of a record, or in a new record. Absent where neither or both will do. */
  readonly writtenBy?: 'edit' | 'add';
  readonly isRequired: boolean;
  readonly isNullable: boolean;
  readonly isSortable: boolean;
  readonly isGroupable: boolean;
  /** A number that is a text in records, because it may have more digits than a number of JSON. */
  readonly isExact: boolean;
  /** Its times are durations too, from -838:59:59 to 838:59:59. Absent for all other fields. */
  readonly isDuration?: true;
  /** It comes from code, and no column holds it. */
  readonly isComputed: boolean;
  /** The relation whose key this column is; `null` for other columns. */
  readonly foreignKeyOf: string | null;
  readonly defaultValue: unknown;
  /** Those that the scope of the caller leaves. */
  readonly enumValues: readonly string[] | null;
  /** What values mean to people, by value, as `setFieldTones` says it; `null` where it says nothing. */
  readonly tones: Readonly<Record<string, Tone>> | null;
  /** In the spelling of `filters`: `equal`, `greater_than`. */
  readonly operators: readonly VisibleOperator[];
  readonly validations: SchemaField['validations'];
  /** Whether its values are files: data URIs, or addresses of files. */
  readonly isFile: boolean;
  /** Its values are shown in part, or only that they are there: as texts that say less. Absent for all other fields. */
  readonly isMasked?: true;
}

/** A meaning, which a client shows in a colour of its own beside the text. */
export type Tone = 'neutral' | 'info' | 'success' | 'warning' | 'danger';

export interface VisibleOperator {
  readonly operator: string;
  /** What the operator takes: nothing, one value of the field's type, a list of them, a text, or a whole number. */
  readonly value: 'none' | 'one' | 'list' | 'text' | 'integer';
}

export interface VisibleRelation {
  readonly name: string;
  readonly kind: 'ManyToOne' | 'OneToOne' | 'OneToMany' | 'ManyToMany';
  /** The collection it leads to. */
  readonly collection: string;
  /** The title field of that collection. */
  readonly title: string;
  /** Whether the caller may link and unlink. */
  readonly isReadOnly: boolean;
  /** The only way in which the key here may be written. Absent where neither or both will do, and where the key is elsewhere. */
  readonly writtenBy?: 'edit' | 'add';
  readonly isRequired: boolean;
  /** The columns of this collection that hold the key of a to-one relation. */
  readonly keys: readonly string[];
  /** The relation back, if the other collection has one that the caller may see. */
  readonly inverse: string | null;
}

export interface VisibleAction extends SchemaAction {
  /** Whether its trigger needs an approval for this caller, on some records at least. */
  readonly needsApproval: boolean;
  /** The caller may run it on all records, and needs one for each. Absent otherwise. */
  readonly alwaysNeedsApproval?: true;
}

export interface VisibleChart {
  readonly name: string;
  /** `null`: the code says it when it runs, and the header `service-chart-kind` of the answer tells. */
  readonly kind: 'Value' | 'Objective' | 'Percentage' | 'Pie' | 'Line' | 'Leaderboard' | 'Smart' | null;
}

export interface VisibleDashboard {
  /** The name of its file without the ending. */
  readonly name: string;
  readonly title: string;
  /** Charts of the agent, and charts over records as `POST /stats/<collection>` takes them. */
  readonly charts: readonly DashboardChart[];
}
