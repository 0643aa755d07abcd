import * as z from 'zod';

export type Json = Readonly<Record<string, unknown>>;

/** Writes schemas for places inside of an OpenAPI document: what a schema repeats of itself is in its components. */
export class SchemaCollector {
  readonly shared: Record<string, unknown> = {};

  write(schema: z.ZodType, io: 'input' | 'output'): Json {
    const { $schema: _dialect, $defs = {}, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
    const names = new Map(
      Object.keys($defs).map((name, index) => [name, `Shared${Object.keys(this.shared).length + index}`]),
    );
    const moved = (part: unknown): unknown =>
      JSON.parse(
        JSON.stringify(part).replaceAll(
          /"#\/\$defs\/(\w+)"/g,
          (_text, name: string) => `"#/components/schemas/${names.get(name)}"`,
        ),
      );
    for (const [name, part] of Object.entries($defs)) this.shared[names.get(name) ?? name] = moved(part);
    return moved(rest) as Json;
  }
}
