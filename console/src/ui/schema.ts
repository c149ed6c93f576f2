// The part of JSON Schema that forms are made from.

export interface JsonSchema {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  format?: string;
  anyOf?: JsonSchema[];
  additionalProperties?: boolean | JsonSchema;
}

export type FieldKind = "text" | "long" | "number" | "choice" | "yes" | "lines" | "json";

/** How a value of this schema is edited; what has no field of its own is edited as JSON. */
export function fieldKind(schema: JsonSchema, value: unknown): FieldKind {
  if (schema.enum) return "choice";
  switch (typeOf(schema, value)) {
    case "string":
      return (schema.maxLength ?? 0) > 200 || (typeof value === "string" && (value.length > 60 || value.includes("\n")))
        ? "long"
        : "text";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "yes";
    case "array":
      return schema.items?.type === "string" ? "lines" : "json";
    default:
      return "json";
  }
}

function typeOf(schema: JsonSchema, value: unknown): string | undefined {
  const named = Array.isArray(schema.type) ? schema.type.find(type => type !== "null") : schema.type;
  const inner = schema.anyOf?.find(each => each.type !== "null");
  return named ?? (inner ? typeOf(inner, value) : typeof value === "string" ? "string" : undefined);
}

/** What is wrong with a value, as far as the form can tell; the server has the last word. */
export function complaint(
  schema: JsonSchema,
  value: unknown,
  required: boolean,
): "required" | "number" | "range" | null {
  const empty = value === undefined || value === "" || value === null;
  if (empty) return required ? "required" : null;
  if (fieldKind(schema, value) !== "number") return null;
  if (typeof value !== "number" || Number.isNaN(value)) return "number";
  const { minimum = -Infinity, maximum = Infinity } = schema;
  return value < minimum || value > maximum ? "range" : null;
}
