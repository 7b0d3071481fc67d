// The numbers of types, which dns-packet uses and does not declare.

declare module "dns-packet/types.js" {
  const types: { readonly toType: (name: string) => number };
  export default types;
}
