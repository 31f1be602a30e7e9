//! What answers an address: its handlers, as one type.
//!
//! A handler is told what it takes by [`Told`], which never waits. So what waits is what the
//! handler does itself, and everything around it is compiled once: there are more than sixty
//! handlers, and the size of a Worker counts.

use std::pin::Pin;

use axum::{
    http::{HeaderValue, Method, header},
    response::{IntoResponse, Response},
};

use crate::{
    asked::{Asked, Refused, Told},
    handlers::nowhere,
    rate_limit::Limit,
};

type Answer = Pin<Box<dyn Future<Output = Response> + Send>>;

/// An answer that was begun, or the refusal of what it would have taken.
type Answered = Result<Answer, Refused>;

/// A handler, whichever it is. A function takes no room, so its box is none.
pub(crate) struct Endpoint {
    /// Whether it takes something that is read off the body.
    takes_body: bool,
    answer: Box<dyn Fn(&mut Asked) -> Answered + Send + Sync>,
}

impl Endpoint {
    /// Answers a request, whose body is read if the handler takes something of it.
    pub(crate) async fn answer(&self, asked: &mut Asked) -> Response {
        if self.takes_body {
            Box::pin(asked.read_body()).await;
        }
        match (self.answer)(asked) {
            Ok(answer) => answer.await,
            Err(Refused(response)) => *response,
        }
    }
}

/// A function that answers a request, told what it takes of it from left to right. The first
/// part that cannot be told is the answer.
pub(crate) trait Answers<T>: Send + Sync + 'static {
    /// Whether any of the parts is read off the body.
    const TAKES_BODY: bool;

    /// Answers a request.
    fn answer(&self, asked: &mut Asked) -> Answered;
}

macro_rules! answers {
    ($($part:ident $name:ident),*) => {
        impl<F, A, $($part),*> Answers<(A, $($part),*)> for F
        where
            F: Fn($($part),*) -> A + Copy + Send + Sync + 'static,
            A: Future<Output: IntoResponse> + Send + 'static,
            $($part: Told + Send + 'static),*
        {
            const TAKES_BODY: bool = false $(|| $part::IS_OF_BODY)*;

            fn answer(&self, _asked: &mut Asked) -> Answered {
                let handler = *self;
                $(let $name = $part::told(_asked)?;)*
                // Called within, where its future is to stand: one that is called before is moved.
                Ok(Box::pin(async move { handler($($name),*).await.into_response() }))
            }
        }
    };
}

answers!();
answers!(P1 first);
answers!(P1 first, P2 second);
answers!(P1 first, P2 second, P3 third);
answers!(P1 first, P2 second, P3 third, P4 fourth);

/// Forgets which handler this is.
pub(crate) fn endpoint<T>(handler: impl Answers<T>) -> Endpoint {
    Endpoint { takes_body: is_told_of_body(&handler), answer: Box::new(move |asked| handler.answer(asked)) }
}

const fn is_told_of_body<T, H: Answers<T>>(_: &H) -> bool {
    H::TAKES_BODY
}

/// What an address answers, method by method.
pub(crate) struct Place {
    get: Option<Endpoint>,
    post: Option<Endpoint>,
    otherwise: Endpoint,
    /// How often somebody may `POST` here.
    limit: Option<Limit>,
}

/// Answers `GET`, and `HEAD` without a body.
pub(crate) fn get<T>(handler: impl Answers<T>) -> Place {
    Place {
        get: Some(endpoint(handler)),
        post: None,
        otherwise: endpoint(nowhere::method_not_allowed),
        limit: None,
    }
}

/// Answers `POST`.
pub(crate) fn post<T>(handler: impl Answers<T>) -> Place {
    Place {
        get: None,
        post: Some(endpoint(handler)),
        otherwise: endpoint(nowhere::method_not_allowed),
        limit: None,
    }
}

impl Place {
    /// Answers `POST` as well.
    pub(crate) fn post<T>(self, handler: impl Answers<T>) -> Self {
        Self { post: Some(endpoint(handler)), ..self }
    }

    /// Answers every other method.
    pub(crate) fn otherwise<T>(self, handler: impl Answers<T>) -> Self {
        Self { otherwise: endpoint(handler), ..self }
    }

    /// Takes only so many `POST`s of one client.
    pub(crate) fn limited(self, limit: Limit) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// Answers a request. Whoever asked by a method that is not taken is told which are.
    pub(crate) async fn answer(&self, asked: &mut Asked) -> Response {
        match (asked.method(), &self.get, &self.post) {
            (&Method::GET | &Method::HEAD, Some(get), _) => get.answer(asked).await,
            (&Method::POST, _, Some(post)) => {
                if let Some(limit) = self.limit
                    && let Err(refusal) = Box::pin(limit.pass(asked)).await
                {
                    return refusal;
                }
                post.answer(asked).await
            }
            _ => {
                let mut response = self.otherwise.answer(asked).await;
                let allowed = match (&self.get, &self.post) {
                    (Some(_), Some(_)) => "GET,HEAD,POST",
                    (Some(_), None) => "GET,HEAD",
                    _ => "POST",
                };
                response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
                response
            }
        }
    }
}
