//! Where a source can be changed, and how.

use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ReturnType, Type, UnOp};

pub(crate) struct Mutant {
    pub(crate) number: usize,
    pub(crate) line: usize,
    pub(crate) function: String,
    pub(crate) change: String,
    /// The operator, value or word that stands in.
    pub(crate) instead: String,
}

pub(crate) enum Kind {
    /// Both sides are evaluated: `left op right`.
    Both { left: Range<usize>, right: Range<usize>, operator: String, compares: bool },
    /// `left && right` or `left || right`.
    Logical { left: Range<usize>, right: Range<usize>, and: bool },
    /// `place op= right`.
    Compound { place: Range<usize>, right: Range<usize>, operator: String },
    /// `-inner` or `!inner`.
    Unary { inner: Range<usize>, operator: String },
    /// After the brace that opens a body.
    Body,
    /// After a pattern: an arm that has no guard.
    Arm,
    /// An arm with this guard; the first mutant is the deletion of the arm if `wild`.
    Guard { guard: Range<usize> },
}

pub(crate) struct Site {
    pub(crate) range: Range<usize>,
    pub(crate) kind: Kind,
    pub(crate) mutants: Vec<Mutant>,
}

/// The sites of a file, outer ones first; mutants are numbered from `next` on.
pub(crate) fn of(text: &str, next: &mut usize) -> syn::Result<Vec<Site>> {
    let file = syn::parse_file(text)?;
    let mut finder = Finder { sites: Vec::new(), next, functions: Vec::new(), owner: Vec::new() };
    finder.visit_file(&file);
    let mut sites = finder.sites;
    sites.sort_by_key(|site| (site.range.start, std::cmp::Reverse(site.range.end)));
    Ok(sites)
}

struct Finder<'a> {
    sites: Vec<Site>,
    next: &'a mut usize,
    functions: Vec<String>,
    owner: Vec<String>,
}

fn range(node: &impl Spanned) -> Range<usize> {
    node.span().byte_range()
}

impl Finder<'_> {
    fn add(
        &mut self,
        at: &impl Spanned,
        range: Range<usize>,
        kind: Kind,
        instead: &[String],
        change: impl Fn(&str) -> String,
    ) {
        let function = self.owner.iter().chain(&self.functions).cloned().collect::<Vec<_>>().join("::");
        let line = at.span().start().line;
        let mutants = instead
            .iter()
            .map(|instead| {
                let number = *self.next;
                *self.next += 1;
                Mutant {
                    number,
                    line,
                    function: function.clone(),
                    change: change(instead),
                    instead: instead.clone(),
                }
            })
            .collect();
        self.sites.push(Site { range, kind, mutants });
    }

    fn function(&mut self, signature: &syn::Signature, attributes: &[syn::Attribute], block: &syn::Block) {
        if signature.constness.is_some() || signature.unsafety.is_some() || tests(attributes) {
            return;
        }
        self.functions.push(signature.ident.to_string());
        let values = match &signature.output {
            ReturnType::Default => vec!["()".to_owned()],
            ReturnType::Type(_, kind) => values(kind),
        };
        if !block.stmts.is_empty() && !values.is_empty() {
            let open = range(&block.brace_token.span.open()).end;
            self.add(&signature.ident, open..open, Kind::Body, &values, |value| {
                format!("replace the body with {value}")
            });
        }
        visit::visit_block(self, block);
        self.functions.pop();
    }
}

fn tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string().starts_with("test"))
    })
}

/// Values that stand for the result of a whole function.
fn values(kind: &Type) -> Vec<String> {
    let some = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect::<Vec<_>>();
    match kind {
        Type::Tuple(tuple) if tuple.elems.is_empty() => some(&["()"]),
        Type::Tuple(tuple) => {
            let mut all = vec![String::new()];
            for element in &tuple.elems {
                let parts = values(element);
                all = all
                    .iter()
                    .flat_map(|head| parts.iter().map(move |part| format!("{head}{part}, ")))
                    .collect();
            }
            all.into_iter().map(|inside| format!("({inside})")).collect()
        }
        Type::Reference(reference) if reference.mutability.is_some() => {
            values(&reference.elem).into_iter().map(|value| format!("Box::leak(Box::new({value}))")).collect()
        }
        Type::Reference(reference) => match &*reference.elem {
            Type::Path(path) if path.path.is_ident("str") => some(&["\"\"", "\"xyzzy\""]),
            Type::Slice(_) => some(&["Vec::leak(Vec::new())"]),
            inner => values(inner).into_iter().map(|value| format!("&{value}")).collect(),
        },
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return Vec::new() };
            let inner = match &last.arguments {
                syn::PathArguments::AngleBracketed(list) => {
                    list.args.iter().find_map(|argument| match argument {
                        syn::GenericArgument::Type(inner) => Some(values(inner)),
                        _ => None,
                    })
                }
                _ => None,
            };
            let wrapped =
                |form: &str| inner.iter().flatten().map(|value| form.replace('@', value)).collect::<Vec<_>>();
            match last.ident.to_string().as_str() {
                "bool" => some(&["true", "false"]),
                "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => some(&["0", "1"]),
                "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => some(&["0", "1", "-1"]),
                "f32" | "f64" => some(&["0.0", "1.0", "-1.0"]),
                "String" => some(&["String::new()", "\"xyzzy\".into()"]),
                "Option" => [some(&["None"]), wrapped("Some(@)")].concat(),
                "Result" => wrapped("Ok(@)"),
                "Vec" => [some(&["Vec::new()"]), wrapped("vec![@]")].concat(),
                "Box" => wrapped("Box::new(@)"),
                _ => some(&["Default::default()"]),
            }
        }
        _ => Vec::new(),
    }
}

/// The operators that may stand for this one; whether it compares.
fn others(operator: &BinOp) -> Option<(&'static [&'static str], bool)> {
    Some(match operator {
        BinOp::Eq(_) => (&["!="], true),
        BinOp::Ne(_) => (&["=="], true),
        BinOp::Lt(_) => (&["==", ">", "<="], true),
        BinOp::Gt(_) => (&["==", "<", ">="], true),
        BinOp::Le(_) => (&[">"], true),
        BinOp::Ge(_) => (&["<"], true),
        BinOp::Add(_) => (&["-", "*"], false),
        BinOp::Sub(_) => (&["+", "/"], false),
        BinOp::Mul(_) => (&["+", "/"], false),
        BinOp::Div(_) => (&["%", "*"], false),
        BinOp::Rem(_) => (&["/", "+"], false),
        BinOp::Shl(_) => (&[">>"], false),
        BinOp::Shr(_) => (&["<<"], false),
        BinOp::BitAnd(_) => (&["|", "^"], false),
        BinOp::BitOr(_) => (&["&", "^"], false),
        BinOp::BitXor(_) => (&["|", "&"], false),
        BinOp::AddAssign(_) => (&["-=", "*="], false),
        BinOp::SubAssign(_) => (&["+=", "/="], false),
        BinOp::MulAssign(_) => (&["+=", "/="], false),
        BinOp::DivAssign(_) => (&["%=", "*="], false),
        BinOp::RemAssign(_) => (&["/=", "+="], false),
        BinOp::ShlAssign(_) => (&[">>="], false),
        BinOp::ShrAssign(_) => (&["<<="], false),
        BinOp::BitAndAssign(_) => (&["|=", "^="], false),
        BinOp::BitOrAssign(_) => (&["&=", "^="], false),
        BinOp::BitXorAssign(_) => (&["|=", "&="], false),
        _ => return None,
    })
}

fn holds_let(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(binary) => holds_let(&binary.left) || holds_let(&binary.right),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }
    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if tests(&item.attrs) {
            return;
        }
        if let Type::Path(path) = &*item.self_ty
            && let Some(last) = path.path.segments.last()
        {
            self.owner.push(last.ident.to_string());
            visit::visit_item_impl(self, item);
            self.owner.pop();
        }
    }
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.attrs, &item.block);
    }
    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig, &item.attrs, &item.block);
    }
    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig, &item.attrs, block);
        }
    }
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_type(&mut self, _: &'ast Type) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        let (left, right) = (range(&binary.left), range(&binary.right));
        let whole = left.start..right.end;
        let operator = &binary.op;
        let text = token(operator);
        match operator {
            BinOp::And(_) | BinOp::Or(_) => {
                if !holds_let(&binary.left) && !holds_let(&binary.right) {
                    let and = matches!(operator, BinOp::And(_));
                    let instead = [if and { "||" } else { "&&" }.to_owned()];
                    self.add(operator, whole, Kind::Logical { left, right, and }, &instead, |new| {
                        format!("replace {text} with {new}")
                    });
                }
            }
            _ => {
                if let Some((instead, compares)) = others(operator) {
                    let instead: Vec<String> = instead.iter().map(|&new| new.to_owned()).collect();
                    let kind = if text.ends_with('=') && !compares {
                        Kind::Compound { place: left, right, operator: text.clone() }
                    } else {
                        Kind::Both { left, right, operator: text.clone(), compares }
                    };
                    self.add(operator, whole, kind, &instead, |new| format!("replace {text} with {new}"));
                }
            }
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        let operator = match unary.op {
            UnOp::Not(_) => "!",
            UnOp::Neg(_) => "-",
            _ => return visit::visit_expr_unary(self, unary),
        };
        let inner = range(&unary.expr);
        let whole = range(&unary.op).start..inner.end;
        let kind = Kind::Unary { inner, operator: operator.to_owned() };
        self.add(&unary.op, whole, kind, &[String::new()], |_| format!("delete {operator}"));
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_match(&mut self, expression: &'ast syn::ExprMatch) {
        let wild =
            expression.arms.iter().any(|arm| matches!(arm.pat, syn::Pat::Wild(_)) && arm.guard.is_none());
        for arm in &expression.arms {
            let end = range(&arm.pat).end;
            let mut instead = Vec::new();
            if wild && !matches!(arm.pat, syn::Pat::Wild(_)) {
                instead.push("delete".to_owned());
            }
            match &arm.guard {
                Some((_, guard)) if !holds_let(guard) => {
                    instead.extend(["true".to_owned(), "false".to_owned()]);
                    let guard = range(guard);
                    self.add(&arm.pat, guard.clone(), Kind::Guard { guard }, &instead, |new| match new {
                        "delete" => "delete an arm".to_owned(),
                        new => format!("replace a guard with {new}"),
                    });
                }
                None if !instead.is_empty() => {
                    self.add(&arm.pat, end..end, Kind::Arm, &instead, |_| "delete an arm".to_owned());
                }
                _ => {}
            }
        }
        visit::visit_expr_match(self, expression);
    }
}

fn token(operator: &BinOp) -> String {
    operator.span().source_text().unwrap_or_default()
}
