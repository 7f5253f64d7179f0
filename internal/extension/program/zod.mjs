// The part of zod that describes the parameters of tools: schemas that become JSON Schema. Values
// are checked by the program before a tool is called, so that parse only returns them.

class Schema {
  constructor(schema, optional = false) {
    Object.defineProperties(this, { schema: { value: schema }, isOptionalSchema: { value: optional } });
  }
  with(more) {
    return new Schema({ ...this.schema, ...more }, this.isOptionalSchema);
  }
  limit(low, value) {
    const kind = { string: "Length", array: "Items", number: "imum", integer: "imum" }[this.schema.type];
    return kind ? this.with({ [(low ? "min" : "max") + kind]: value }) : this;
  }
  describe(description) { return this.with({ description }); }
  meta(more) { return this.with(more ?? {}); }
  title(title) { return this.with({ title }); }
  optional() { return new Schema(this.schema, true); }
  nullish() { return this.nullable().optional(); }
  nullable() { return new Schema({ anyOf: [this.schema, { type: "null" }] }, this.isOptionalSchema); }
  default(value) { return new Schema({ ...this.schema, default: typeof value === "function" ? value() : value }, true); }
  min(value) { return this.limit(true, value); }
  max(value) { return this.limit(false, value); }
  gte(value) { return this.limit(true, value); }
  lte(value) { return this.limit(false, value); }
  gt(exclusiveMinimum) { return this.with({ exclusiveMinimum }); }
  lt(exclusiveMaximum) { return this.with({ exclusiveMaximum }); }
  length(value) { return this.min(value).max(value); }
  nonempty() { return this.min(1); }
  positive() { return this.gt(0); }
  negative() { return this.lt(0); }
  nonnegative() { return this.min(0); }
  nonpositive() { return this.max(0); }
  multipleOf(multipleOf) { return this.with({ multipleOf }); }
  step(value) { return this.multipleOf(value); }
  int() { return this.with({ type: "integer" }); }
  regex(expression) { return this.with({ pattern: expression.source }); }
  startsWith() { return this; }
  endsWith() { return this; }
  includes() { return this; }
  email() { return this.with({ format: "email" }); }
  url() { return this.with({ format: "uri" }); }
  uuid() { return this.with({ format: "uuid" }); }
  datetime() { return this.with({ format: "date-time" }); }
  and(other) { return z.intersection(this, other); }
  or(other) { return z.union([this, other]); }
  array() { return z.array(this); }
  extend(more) { return z.object({ ...this.shape, ...more }, this.schema.additionalProperties); }
  merge(other) { return this.extend(other.shape); }
  pick(names) { return z.object(Object.fromEntries(Object.entries(this.shape).filter(([name]) => names[name]))); }
  omit(names) { return z.object(Object.fromEntries(Object.entries(this.shape).filter(([name]) => !names[name]))); }
  partial() { return this.with({ required: undefined }); }
  strict() { return this.with({ additionalProperties: false }); }
  passthrough() { return this.with({ additionalProperties: true }); }
  loose() { return this.passthrough(); }
  strip() { return this; }
  catchall(schema) { return this.with({ additionalProperties: schema }); }
  get shape() { return this.schema.properties ?? {}; }
  get options() { return this.schema.enum ?? this.schema.anyOf; }
  parse(value) { return value; }
  async parseAsync(value) { return value; }
  safeParse(data) { return { success: true, data }; }
  toJSON() { return this.schema; }
}

// These change values or check them, which is not part of a JSON Schema.
for (const name of ["transform", "refine", "superRefine", "check", "brand", "readonly", "catch", "pipe", "trim", "toLowerCase", "toUpperCase", "finite", "safe"]) {
  Schema.prototype[name] = function () {
    return this;
  };
}

const simple = (schema) => () => new Schema(schema);

export const z = {
  string: simple({ type: "string" }),
  number: simple({ type: "number" }),
  int: simple({ type: "integer" }),
  boolean: simple({ type: "boolean" }),
  null: simple({ type: "null" }),
  any: simple({}),
  unknown: simple({}),
  never: simple({ not: {} }),
  email: simple({ type: "string", format: "email" }),
  url: simple({ type: "string", format: "uri" }),
  uuid: simple({ type: "string", format: "uuid" }),
  literal: (value) => new Schema(Array.isArray(value) ? { enum: value } : { const: value }),
  enum: (values) => new Schema({ enum: Object.values(values), ...(Object.values(values).every((v) => typeof v === "string") ? { type: "string" } : {}) }),
  nativeEnum: (values) => z.enum(values),
  array: (items) => new Schema({ type: "array", items }),
  tuple: (items) => new Schema({ type: "array", prefixItems: items, minItems: items.length, maxItems: items.length }),
  record: (key, value) => new Schema({ type: "object", additionalProperties: value ?? key }),
  union: (schemas) => new Schema({ anyOf: schemas }),
  discriminatedUnion: (_name, schemas) => new Schema({ anyOf: schemas }),
  intersection: (a, b) => new Schema({ allOf: [a, b] }),
  optional: (schema) => schema.optional(),
  nullable: (schema) => schema.nullable(),
  lazy: () => new Schema({}),
  preprocess: (_change, schema) => schema,
  object(properties, additionalProperties) {
    const required = Object.keys(properties).filter((name) => !properties[name].isOptionalSchema);
    return new Schema({
      type: "object", properties, ...(required.length ? { required } : {}), ...(additionalProperties === undefined ? {} : { additionalProperties }),
    });
  },
  strictObject: (properties) => z.object(properties, false),
  looseObject: (properties) => z.object(properties, true),
  toJSONSchema: (schema) => JSON.parse(JSON.stringify(schema)),
};
z.coerce = z;
z.z = z;
