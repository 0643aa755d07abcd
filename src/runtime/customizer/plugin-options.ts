import type { PathOn } from './schema-path.ts';
import type { CollectionName, SchemaShape } from './schema-types.ts';

declare const option: unique symbol;

/** What options of a plugin extend when one of them, `Option`, lists fields and paths: the compiler checks them against the collection. */
export interface NamesFields<Option extends string> {
  readonly [option]?: Option;
}

/** What the options `Given` to a plugin have to be on a collection. Options that name no fields are as the plugin says. */
export type OptionsOn<S extends SchemaShape<S>, C extends CollectionName<S>, Options, Given> =
  Options extends NamesFields<infer Option extends string>
    ? {
        readonly [Name in keyof Given]: Name extends Option
          ? ListedFields<S, C, Given[Name]>
          : Name extends keyof Options
            ? Given[Name]
            : `'${Name & string}' is not an option`;
      }
    : Given;

/** A list of fields, each a name, a path, or an object with it as `field`. */
type ListedFields<S extends SchemaShape<S>, C extends CollectionName<S>, List> = {
  readonly [Index in keyof List]: List[Index] extends string
    ? PathOn<S, C, List[Index]>
    : {
        readonly [Key in keyof List[Index]]: Key extends 'field'
          ? PathOn<S, C, List[Index][Key] & string>
          : List[Index][Key];
      };
};
